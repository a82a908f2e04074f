#!/usr/bin/env python3
"""Plays English games through pydraughts' Hub client, which drives the engine as a bot does.

    python3 -m venv venv && venv/bin/pip install pydraughts==0.6.7
    venv/bin/python scripts/pydraughts_games.py target/release/crownhead --games 20

The engine plays the first and the second mover in turn against random (seeded) replies, from the
start position and from set-ups with kings, under clocks, fixed times, depths and node counts. It
ponders on the reply that it expects (`--ponder 1` after every move), which comes in half of the
cases and is a hit, and else the pondering is stopped. An illegal move raises inside the client, a hang
ends by an alarm: both fail the run. Exit code 0 if every game came to its end.
"""

import argparse
import collections
import random
import signal
import sys
import threading
import time

from draughts import Board
from draughts.engine import HubEngine, Limit

SETUPS = [
    "startpos",
    "W:WK18,21,30:BK5,7,12",
    "startpos",
    "B:WK14,K22,31,32:BK1,2,3",
    "W:WK32,27,31:B2,7,15,16,23,24",
    "startpos",
    "B:W18,22,25,26:B9,K10,15",
]


def limit_of(game, clock):
    kinds = [
        Limit(time=max(clock, 0.01), inc=0.05),
        Limit(movetime=0.02),
        Limit(depth=6),
        Limit(nodes=5000),
    ]
    return kinds[game % len(kinds)]


def ponder(engine, after, limit, end):
    """Ponders after the expected reply until `end` is called, which comes once the search has
    begun, however slow this machine is just now; the client raises if the answer is not legal."""

    def wait():
        while engine._last_sent != "go ponder":
            time.sleep(0.01)
        time.sleep(0.05)
        end()

    waiting = threading.Thread(target=wait)
    waiting.start()
    result = engine.play(after, limit, ponder=True)
    waiting.join()
    return result


def play(engine, game, chance, longest, ponders):
    setup = SETUPS[game % len(SETUPS)]
    board = Board(variant="english", fen=setup)
    engine_to_move = game % 2 == 0
    clock, hits = 3.0, 0
    while not board.is_over() and len(board.move_stack) < longest:
        if engine_to_move:
            result = engine.play(board, limit_of(game, clock), ponder=False)
            board.push(result.move)
        while engine_to_move and result.ponder is not None and chance.random() < ponders:
            after = board.copy()
            after.push(result.ponder)
            if after.is_over() or len(after.move_stack) >= longest:
                break
            if chance.random() < 0.5:
                ponder(engine, after, Limit(time=5), engine.stop)
                break
            result = ponder(engine, after, limit_of(game, clock), engine.ponderhit)
            board = after
            board.push(result.move)
            hits += 1
        if engine_to_move:
            clock -= 0.05
        else:
            board.push(chance.choice(board.legal_moves()))
        engine_to_move = not engine_to_move
    plies = len(board.move_stack)
    side = "first" if game % 2 == 0 else "second"
    winner = {1: "Black", 2: "White"}.get(board.winner(), "nobody")
    print(
        f"game {game + 1}: {setup}, engine moves {side}, {plies} plies, {hits} hits, won by {winner}",
        flush=True,
    )
    return "over" if board.is_over() else "too long"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--plies", type=int, default=400, help="longest game")
    parser.add_argument("--ponder", type=float, default=0.1, help="chance after each move")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    ends = collections.Counter()
    for game in range(options.games):
        signal.alarm(300)
        engine = HubEngine([options.engine, "hub"])
        if game % 3 == 0:
            engine.configure({"variant": "english", "hash": 16, "threads": 1})
        engine.init()
        engine.ping()
        ends[play(engine, game, chance, options.plies, options.ponder)] += 1
        engine.quit()
        engine.p.communicate(timeout=5)
        signal.alarm(0)
    print(f"{options.games} games: {dict(ends)}")
    return 0 if ends["over"] == options.games else 1


if __name__ == "__main__":
    sys.exit(main())
