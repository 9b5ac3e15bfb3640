#!/usr/bin/env bash
# Runs all tests, two test programs at a time, and lists the slowest tests.
#
#   tools/test_programs.sh COMMAND...   COMMAND is a `cargo test` with its options
#
# `cargo test` runs one program after the other. The last tests of each program, and those that share a device, leave cores
# without work. So cargo only names the programs here, with their folders and environments, and builds all that is not built.
# How long each test took stands in target/test-times afterwards.
set -euo pipefail
self=$(realpath "${BASH_SOURCE[0]}")

# Notes how cargo would have run a program.
if [[ ${1-} == --note ]]; then
    { declare -px; printf 'cd %q\nprogram=%q\n' "$PWD" "$2"; } > "$TEST_NOTES/$(date +%s%N)"
    exit
fi

# Runs the program of a note. What it says is printed in one piece at its end.
if [[ ${1-} == --run ]]; then
    note=$2
    # shellcheck disable=SC1090
    . "$note"
    printf '     Running %s\n' "$(basename "$program")"
    status=0
    # The option for times is unlocked for the program alone: nothing is built with it.
    RUSTC_BOOTSTRAP=1 "$program" -Z unstable-options --report-time > "$note.out" 2>&1 || status=$?
    exec 9>> "$TEST_NOTES.lock"
    flock 9
    printf '\n        Done %s\n' "$(basename "$program")"
    cat "$note.out"
    grep -E '^test .* <[0-9.]+s>$' "$note.out" >> "$TEST_TIMES" || true
    (( status == 0 )) || basename "$program" >> "$TEST_NOTES.failed"
    exit 0
fi

cd "$(dirname "$self")/.."
mkdir -p target
TEST_NOTES=$(mktemp -d)
TEST_TIMES=$PWD/target/test-times
export TEST_NOTES TEST_TIMES
trap 'rm -rf "$TEST_NOTES" "$TEST_NOTES.lock" "$TEST_NOTES.failed"' EXIT
: > "$TEST_TIMES"
"$@" --config "target.'cfg(all())'.runner = ['$self', '--note']"

# Those that take longest are the last that cargo names.
find "$TEST_NOTES" -type f | sort -r | xargs -P 2 -n 1 "$self" --run
echo 'The ten slowest tests:'
sort -t '<' -k 2 -rn "$TEST_TIMES" | sed -n '1,10p'
if [[ -e $TEST_NOTES.failed ]]; then
    echo "tests failed in: $(sort "$TEST_NOTES.failed" | tr '\n' ' ')" >&2
    exit 1
fi
