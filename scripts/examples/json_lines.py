#!/usr/bin/env python3
"""Analyses positions with `crownhead json`; needs nothing but Python.

    python3 json_lines.py path/to/crownhead

One JSON object a line goes in, one comes out.
"""

import json
import subprocess
import sys

crownhead = subprocess.Popen(
    [sys.argv[1], "json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)


def analyse(**request):
    print(json.dumps(request), file=crownhead.stdin, flush=True)
    return json.loads(crownhead.stdout.readline())


answer = analyse(position="start", moves=["11-15", "22-18"], depth=8)
print(answer["fen"], "best:", answer["best"], "of", answer["legal_moves"])
for line in analyse(position="W:WK32:BK26", depth=12, lines=2)["lines"]:
    print(line["score"], line["better"], " ".join(line["pv"]))
print(analyse(position="W:W0:B33")["error"])
crownhead.stdin.close()
sys.exit(crownhead.wait())
