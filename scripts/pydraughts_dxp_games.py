#!/usr/bin/env python3
"""Plays English games over DXP against pydraughts, in both roles and with both colours.

    python3 -m venv venv && venv/bin/pip install pydraughts==0.6.7
    venv/bin/python scripts/pydraughts_dxp_games.py target/release/crownhead --games 20

First pydraughts' DXP client asks for games and the engine follows; then the engine asks and a
follower made of pydraughts' board and message codec answers; then two engines play each other. The
replies are random (seeded); some games begin from set-ups with kings, whose boards are sent plainly
and as pydraughts does, and in some the client takes moves back. Every move is checked by
pydraughts. `--record FILE` keeps all that was said. Exit code 0 if every game came to its end.
"""

import argparse
import collections
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
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

# Of the games that the engine asks for: where they begin, and how their boards are sent.
OFFERS = [
    ("startpos", "auto"),
    ("W:WK18,21,30:BK5,7,12", "auto"),
    ("B:WK14,K22,31,32:BK1,2,3", "swapped"),
    ("B:W18,22,25,26:B9,K10,15", "swapped"),
]

# Its sockets sleep for seven seconds when they close.
dxp_classes.time = types.SimpleNamespace(sleep=lambda _: time.sleep(0.1))


class Tap:
    """Passes on what two programs say to each other on TCP, and keeps it."""

    def __init__(self, port, record):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = str(self.server.getsockname()[1])
        self.target, self.record = int(port), record
        self.said, self.lock = [], threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            caller, _ = self.server.accept()
            called = socket.create_connection(("127.0.0.1", self.target))
            for ends in [(caller, called, ">"), (called, caller, "<")]:
                ends[0].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self.pass_on, args=ends, daemon=True).start()

    def pass_on(self, source, sink, arrow):
        rest = b""
        try:
            while data := source.recv(1024):
                *messages, rest = (rest + data).split(b"\0")
                for message in messages:
                    self.note(f"{arrow} {message.decode()}\\0")
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # One end has closed.

    def note(self, line):
        with self.lock:
            self.said.append(line)
            print(line, file=self.record, flush=True)


def listen(engine, games, style="auto"):
    """Starts the engine as a follower on a free port."""
    command = [engine, "dxp", "--listen", "127.0.0.1:0", "--time", "0.03"]
    command += ["--connections", str(games), "--pos-style", style]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    port = re.search(r":(\d+)$", process.stdout.readline().strip()).group(1)
    return process, port


def connect(engine, port, games, offer):
    """Starts the engine as an initiator."""
    start, style = offer
    command = [engine, "dxp", "--connect", port, "--time", "0.03", "--games", str(games)]
    command += ["--pos", start.replace("pos", ""), "--pos-style", style]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


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


def board_of(request, style):
    """The board of a request. Letter n is square n; or the piece of the other colour on 33 - n."""
    letters = request["pos"]
    if style == "swapped":
        letters = letters[::-1].translate(str.maketrans("wzWZ", "zwZW"))
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


def lead(server, chance, games, style):
    """The engine asks for games, and pydraughts' parts answer; yields the final boards."""
    connection, _ = server.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    messages, codec = Messages(connection), dxp_classes.DamExchange()
    for _ in range(games):
        request = codec.parse(messages.read())
        assert request["type"] == "R", request
        board, turn = board_of(request, style)
        we_move = (turn == "W") == (request["fColor"] == "W")
        messages.write("A" + "pydraughts".ljust(32) + "0")
        while True:
            if we_move and board.is_over():
                messages.write("E20" if board.winner() == 0 else "E10")
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


def replay(said, style):
    """What two engines have said, played by pydraughts; yields the final boards."""
    codec, board = dxp_classes.DamExchange(), None
    for line in filter(lambda line: line[0] != "#", said):
        message = codec.parse(line[2:].removesuffix("\\0"))
        if message["type"] == "R":
            board = board_of(message, style)[0]
        elif message["type"] == "M":
            board.push(move_of(board, message))
        elif message["type"] == "E" and board is not None:
            yield board
            board = None


def tell(number, role, board):
    winner = {1: "Black", 2: "White"}.get(board.winner(), "nobody")
    plies = len(board.move_stack)
    print(f"game {number}: engine is {role}, {plies} plies, won by {winner}", flush=True)
    return "over" if board.is_over() or drawn(board) else "not over"


def drawn(board):
    """A position for the third time, or 40 moves of kings: no ends to pydraughts' English board."""
    kings = board._game.consecutive_noncapture_king_moves
    return kings >= 80 or max(collections.Counter(board.fens).values()) >= 3


def play_follower(options, chance, record):
    """pydraughts' client asks, the engine follows."""
    process, port = listen(options.engine, options.games)
    tap = Tap(port, record)
    tap.note("# style auto")
    for game in range(options.games):
        board = follow(tap.port, game, chance)
        tap.note(f"# end {board.fen}")
        yield "follower", board
    assert process.wait(timeout=10) == 0


def play_initiator(options, chance, record):
    """The engine asks, pydraughts' board and codec follow."""
    games = max(1, options.games // len(OFFERS))
    for offer in OFFERS:
        with socket.create_server(("127.0.0.1", 0)) as server:
            tap = Tap(server.getsockname()[1], record)
            tap.note(f"# style {offer[1]}")
            process = connect(options.engine, tap.port, games, offer)
            for board in lead(server, chance, games, offer[1]):
                tap.note(f"# end {board.fen}")
                yield "initiator", board
            assert process.wait(timeout=10) == 0


def play_itself(options, _, record):
    """Two engines; what they said is played by pydraughts afterwards."""
    games = max(1, options.games // len(OFFERS))
    for offer in OFFERS:
        follower, port = listen(options.engine, 1, offer[1])
        tap = Tap(port, record)
        tap.note(f"# style {offer[1]}")
        initiator = connect(options.engine, tap.port, games, offer)
        assert initiator.wait(timeout=300) == 0
        assert follower.wait(timeout=10) == 0
        for board in replay(tap.said, offer[1]):
            yield "both", board


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    parser.add_argument("--games", type=int, default=20, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--record", type=argparse.FileType("w"), default=os.devnull)
    options = parser.parse_args()
    chance, ends = random.Random(options.seed), collections.Counter()
    signal.alarm(900)
    for kind in [play_follower, play_initiator, play_itself]:
        for number, (role, board) in enumerate(kind(options, chance, options.record), 1):
            ends[tell(number, role, board)] += 1
    print(f"{ends.total()} games: {dict(ends)}")
    return 0 if ends["over"] == ends.total() else 1


if __name__ == "__main__":
    sys.exit(main())
