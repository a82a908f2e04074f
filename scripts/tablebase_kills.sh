#!/bin/sh
# Builds databases with one thread and with two, then once more, killed at random moments, and
# compares all files byte by byte.
#
#   scripts/tablebase_kills.sh [PIECES [KILLS]]      five pieces, twenty kills
#
# Prints the SHA-256 of the set (of what sha256sum prints of its files). Exit code 1: they differ.
set -eu
cd "$(dirname "$0")/.."

pieces=${1:-5}
kills=${2:-20}
cargo build --release --locked --quiet -p tablebase-gen
program=${CARGO_TARGET_DIR:-target}/release/tablebase-gen
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM

build() { "$program" build --pieces "$pieces" --out "$dir/$1" --threads "$2" --json >"$dir/$1.log"; }

hash() { (cd "$dir/$1" && LC_ALL=C sha256sum ./*.ctb | sed 's|\./||' | sha256sum | cut -d' ' -f1); }

start=$(date +%s%N)
build one 1
span=$(( ($(date +%s%N) - start) / 1000000 ))
build two 2

killed=0
while [ "$killed" -lt "$kills" ]; do
    random=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    wait=$((random % span))
    "$program" build --pieces "$pieces" --out "$dir/killed" --threads 2 --json >"$dir/killed.log" &
    running=$!
    sleep "$((wait / 1000)).$(printf %03d $((wait % 1000)))"
    kill -KILL "$running" 2>/dev/null || true
    status=0
    wait "$running" 2>/dev/null || status=$?
    case $status in
    0) rm -rf "$dir/killed" ;; # it was done before its time: begin anew
    137)
        killed=$((killed + 1))
        echo "killed after $wait ms, $(find "$dir" -path '*killed/*.ctb' | wc -l) files there"
        ;;
    *) exit 1 ;;
    esac
done
build killed 2
if find "$dir/killed" -name '*.part' | grep -q .; then echo "error: a half file stayed"; exit 1; fi

for set in one two killed; do echo "$set: $(hash "$set")"; done
[ "$(hash one)" = "$(hash two)" ] && [ "$(hash one)" = "$(hash killed)" ] || { echo "error: they differ"; exit 1; }
