#!/usr/bin/env bash
# Runs a test program for `cargo test` and keeps how long each of its tests took in the file $TEST_TIMES, of which `make test` lists
# the slowest. The option for that is unlocked for the program alone: nothing is built with it.
set -euo pipefail
RUSTC_BOOTSTRAP=1 "$@" -Z unstable-options --report-time | tee >(grep -E '^test .* <[0-9.]+s>$' >> "$TEST_TIMES" || true)
