#!/usr/bin/env bash
# Runs all tests, two test programs at a time, and lists the slowest tests.
#
#   tools/test_programs.sh COMMAND...   COMMAND is `cargo test` with its options
#
# `cargo test` runs one program after the other, and cores are idle while a program's last tests run. Here cargo builds the
# programs, by tools/test_compiler.sh, and only notes each one's path, folder and environment; then this script runs them.
# Afterwards target/test-times holds the time that each test took.
set -euo pipefail
self=$(realpath "${BASH_SOURCE[0]}")

# As the runner of cargo: notes how a program is to be run.
if [[ ${1-} == --note ]]; then
    { declare -px; printf 'cd %q\nprogram=%q\n' "$PWD" "$2"; } > "$TEST_FOLDER/notes/$(date +%s%N)"
    exit
fi

# Runs the program of a note. Its output is printed as a whole when it ends.
if [[ ${1-} == --run ]]; then
    # shellcheck disable=SC1090
    . "$2"
    name=$(basename "$program")
    output=$(mktemp -p "$TEST_FOLDER")
    echo "     Running $name"
    status=0
    # This variable unlocks the option for times. It is set for the program alone, so that nothing is built with it.
    options=(-Z unstable-options --report-time)
    # Tests that take long are ignored, and so are measurements.
    [[ -z ${HEMATITE_FULL-} ]] || options+=(--include-ignored --skip measured_)
    RUSTC_BOOTSTRAP=1 "$program" "${options[@]}" > "$output" 2>&1 || status=$?
    exec 9>> "$TEST_FOLDER/lock"
    flock 9
    printf '\n        Done %s\n' "$name"
    cat "$output"
    grep -E '^test .* <[0-9.]+s>$' "$output" >> "$TEST_TIMES" || true
    (( status == 0 )) || echo "$name" >> "$TEST_FOLDER/failed"
    exit 0
fi

cd "$(dirname "$self")/.."
mkdir -p target
TEST_FOLDER=$(mktemp -d)
TEST_TIMES=$PWD/target/test-times
export TEST_FOLDER TEST_TIMES
# Where software Vulkan keeps the kernels that it has compiled.
export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR-$PWD/target}
trap 'rm -rf "$TEST_FOLDER"' EXIT
mkdir "$TEST_FOLDER/notes"
: > "$TEST_TIMES"
RUSTC_WRAPPER=$PWD/tools/test_compiler.sh "$@" --config "target.'cfg(all())'.runner = ['$self', '--note']"

# Cargo names the programs that take longest last. They start first.
find "$TEST_FOLDER/notes" -type f | sort -r | xargs -P 2 -n 1 "$self" --run
echo 'The ten slowest tests:'
sort -t '<' -k 2 -rn "$TEST_TIMES" | sed -n '1,10p'
if [[ -e $TEST_FOLDER/failed ]]; then
    echo "tests failed in: $(sort "$TEST_FOLDER/failed" | tr '\n' ' ')" >&2
    exit 1
fi
