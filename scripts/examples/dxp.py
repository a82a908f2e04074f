#!/usr/bin/env python3
"""A game against Crownhead through pydraughts' DXP client (pip install pydraughts==0.6.7).

    python3 dxp.py path/to/crownhead

Crownhead plays Black and moves first; White here takes any legal move.
"""

import random
import sys

from draughts import Board
from draughts.engine import DXPEngine

engine = DXPEngine(
    [sys.argv[1], "dxp", "--listen", "--time", "0.1"],
    {"engine-opened": False, "wait-to-open-time": 2},
)
board = Board(variant="english")
while not board.is_over():
    board.push(engine.play(board).move)
    if not board.is_over():
        board.push(random.choice(board.legal_moves()))
print(board.fen, {1: "Black won", 2: "White won"}.get(board.winner(), "drawn"))
engine.quit()
engine.kill_process()
