#!/usr/bin/env bash
# Compiles what cargo asks for, test programs without optimization: most take longer to optimize than to run.
#
#   tools/test_compiler.sh RUSTC...   as cargo calls its RUSTC_WRAPPER
#
# The crates that are tested, and the tools, are compiled as the profile says.
set -euo pipefail

case " $* " in *' --test '*) ;; *) exec "$@" ;; esac
# These compute for long themselves: oracles, references, unit tests of seeding and of geometry.
case "$CARGO_PKG_NAME/$CARGO_CRATE_NAME" in
    hematite-geometry/* | hematite-case/* | hematite-cells/* | hematite-comm/* | physics-bodies/*) ;;
    physics-cells/cells | physics-lattice-boltzmann/oracle) ;;
    *) set -- "$@" -C opt-level=0 -C codegen-units=16 -C debug-assertions=off ;;
esac
exec "$@"
