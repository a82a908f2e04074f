#!/usr/bin/env python3
"""A game against Crownhead through pydraughts' Hub client (pip install pydraughts==0.6.7).

    python3 hub.py path/to/crownhead

Crownhead plays Black and moves first; White here takes any legal move.
"""

import random
import sys

from draughts import Board
from draughts.engine import HubEngine, Limit

engine = HubEngine([sys.argv[1], "hub"])
engine.init()
board = Board(variant="english")
while not board.is_over():
    board.push(engine.play(board, Limit(movetime=0.1), ponder=False).move)
    if not board.is_over():
        board.push(random.choice(board.legal_moves()))
print(board.fen, {1: "Black won", 2: "White won"}.get(board.winner(), "drawn"))
engine.quit()
