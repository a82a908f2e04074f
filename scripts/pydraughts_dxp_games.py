#!/usr/bin/env python3
"""Plays English games over DXP against pydraughts, in both roles and with both colours.

    python3 -m venv venv && venv/bin/pip install pydraughts==0.6.7
    venv/bin/python scripts/pydraughts_dxp_games.py target/release/crownhead --games 20

First pydraughts' DXP client asks for games and the engine follows; then the engine asks and a
follower made of pydraughts' board and message codec answers. The replies are random (seeded); some
games begin from set-ups with kings, and in some the client takes moves back. Every move is checked
by pydraughts. Exit code 0 if every game came to its end.
"""

import argparse
import collections
import random
import re
import signal
import socket
import subprocess
import sys
import time
import types

from draughts import WHITE, Board
from draughts.engine import DXPEngine
from draughts.engines.dxp_communication import dxp_classes

SETUPS = [
    "startpos",
    "W:WK18,21,30:BK5,7,12",
    "startpos",
    "B:WK14,K22,31,32:BK1,2,3",
    "B:W18,22,25,26:B9,K10,15",
]
LONGEST = 400

# Its sockets sleep for seven seconds when they close.
dxp_classes.time = types.SimpleNamespace(sleep=lambda _: time.sleep(0.1))


def listen(engine, games):
    """Starts the engine as a follower on a free port."""
    command = [engine, "dxp", "--listen", "127.0.0.1:0", "--time", "0.03"]
    command += ["--connections", str(games)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    port = re.search(r":(\d+)$", process.stdout.readline().strip()).group(1)
    return process, port


def follow(port, game, chance):
    """The engine follows pydraughts' client for one game; returns the final board."""
    board = Board(variant="english", fen=SETUPS[game % len(SETUPS)])
    client = DXPEngine(options={"ip": "127.0.0.1", "port": port}, initial_time=60)
    engine_first = game // 2 % 2 == 0
    if not engine_first:
        board.push(chance.choice(board.legal_moves()))
    # Its count of moves is that of games that White begins.
    takes_back = engine_first and game % 5 == 0
    while not board.is_over() and len(board.move_stack) < LONGEST:
        board.push(client.play(board).move)
        if takes_back and len(board.move_stack) == 5:
            takes_back = False
            accepted, back, result = client.takeback(2, WHITE)
            assert accepted and len(back.move_stack) == 2, back.move_stack
            while len(board.move_stack) > 2:
                board.pop()
            board.push(result.move)
        if not board.is_over():
            board.push(chance.choice(board.legal_moves()))
    client.quit()
    return board


class Messages:
    """NUL-terminated messages, split as they should be."""

    def __init__(self, connection):
        self.connection, self.bytes = connection, b""

    def read(self):
        while b"\0" not in self.bytes:
            more = self.connection.recv(1024)
            if not more:
                return None
            self.bytes += more
        message, self.bytes = self.bytes.split(b"\0", 1)
        return message.decode()

    def write(self, text):
        self.connection.sendall(text.encode() + b"\0")


def board_of(request):
    """The board of a request, whose letter n is square n."""
    letters = request["pos"]
    pieces = {"w": [], "z": []}
    for square, letter in enumerate(letters, 1):
        if letter != "e":
            pieces[letter.lower()].append(("K" if letter.isupper() else "") + str(square))
    turn = "W" if request["mColor"] == "W" else "B"
    fen = f"{turn}:W{','.join(pieces['w'])}:B{','.join(pieces['z'])}"
    return Board(variant="english", fen=fen), turn


def move_of(board, message):
    """The legal move that a MOVE message means; an illegal one raises."""
    captured = "".join(sorted(message["captures"]))
    wanted = message["from"] + message["to"] + captured
    return next(move for move in board.legal_moves() if move.hub_position_move == wanted)


def lead(server, chance, games):
    """The engine asks for games, and pydraughts' parts answer; yields the final boards."""
    connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    messages, codec = Messages(connection), dxp_classes.DamExchange()
    for _ in range(games):
        request = codec.parse(messages.read())
        assert request["type"] == "R", request
        board, turn = board_of(request)
        we_move = (turn == "W") == (request["fColor"] == "W")
        messages.write("A" + "pydraughts".ljust(32) + "0")
        while True:
            if we_move and board.is_over():
                messages.write("E10")
                assert codec.parse(messages.read())["type"] == "E"
                break
            if we_move:
                move = chance.choice(board.legal_moves())
                board.push(move)
                messages.write(codec.msg_move(move.steps_move, move.captures, 0))
            else:
                message = codec.parse(messages.read())
                if message["type"] == "E":
                    messages.write("E0" + message["stop"])
                    break
                board.push(move_of(board, message))
            we_move = not we_move
        yield board
    connection.close()


def tell(number, role, board):
    winner = {1: "Black", 2: "White"}.get(board.winner(), "nobody")
    plies = len(board.move_stack)
    print(f"game {number}: engine is {role}, {plies} plies, won by {winner}", flush=True)
    return "over" if board.is_over() or board.winner() is None else "not over"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    parser.add_argument("--games", type=int, default=20, help="in each role")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, ends = random.Random(options.seed), collections.Counter()
    signal.alarm(900)
    process, port = listen(options.engine, options.games)
    for game in range(options.games):
        ends[tell(game + 1, "follower", follow(port, game, chance))] += 1
    assert process.wait(timeout=10) == 0
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        for start in SETUPS[:2]:
            command = [options.engine, "dxp", "--connect", port, "--time", "0.03"]
            command += ["--games", str(options.games // 2), "--pos", start.replace("pos", "")]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            for number, board in enumerate(lead(server, chance, options.games // 2), 1):
                ends[tell(number, "initiator", board)] += 1
            assert process.wait(timeout=10) == 0
    print(f"{ends.total()} games: {dict(ends)}")
    return 0 if ends["over"] == ends.total() else 1


if __name__ == "__main__":
    sys.exit(main())
