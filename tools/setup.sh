#!/usr/bin/env bash
# Installs what this repository needs beyond a Rust toolchain, and only what is missing. Asks nothing.
#   tools/setup.sh            what building and running need
#   tools/setup.sh --checks   also rustfmt and clippy, which `make test` and `make lint` need
# Prints nothing and changes nothing when all is there.
set -euo pipefail

missing=() # packages
reasons=() # a line each

say() { echo "setup: $*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }
installed() { has dpkg-query && [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }
any_file() { compgen -G "$1" >/dev/null; }
library() { { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null; } | grep -q "$1"; }

# need PACKAGE REASON TEST..: PACKAGE is missing when it is not installed and TEST, another way to have it, fails.
need() {
    local package=$1 reason=$2
    shift 2
    installed "$package" && return
    "$@" && return
    missing+=("$package")
    reasons+=("$(printf '%-20s %s' "$package" "$reason")")
}

vulkan_software() { any_file '/usr/share/vulkan/icd.d/lvp_icd*.json' || any_file '/etc/vulkan/icd.d/lvp_icd*.json'; }
vulkan_loader() { library 'libvulkan\.so\.1'; }
mpi_launcher() { has mpirun; }
mpi_compiler() { has mpicc && mpicc -show >/dev/null 2>&1; }
# libclang1 alone has no headers, so on Debian only the -dev package counts.
libclang() { [ -n "${LIBCLANG_PATH:-}" ] || { ! has dpkg-query && library 'libclang'; }; }

need gcc 'links Rust programs, builds HDF5 and METIS' has gcc
need g++ 'C++ compiler that CMake looks for' has g++
need cmake 'builds the HDF5 that is linked into the tools' has cmake
need pkg-config 'finds libraries while building' has pkg-config
need libclang-dev 'reads mpi.h for the Rust binding to MPI' libclang
need libopenmpi-dev 'MPI headers and libraries' mpi_compiler
need openmpi-bin 'mpirun, which launches several ranks' mpi_launcher
need libvulkan1 'Vulkan loader, through which the GPU is reached' vulkan_loader
need mesa-vulkan-drivers 'software Vulkan (lavapipe), for machines without a GPU and for the tests' vulkan_software

if [ ${#missing[@]} -gt 0 ]; then
    command=(apt-get install -y --no-install-recommends "${missing[@]}")
    if ! has apt-get; then
        say 'no apt-get here. Install with your package manager what these Debian packages hold:'
        printf '  %s\n' "${reasons[@]}" >&2
        exit 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        root=(env)
    elif has sudo && sudo -n true 2>/dev/null; then
        root=(sudo -n env)
    else
        say 'these packages are missing, and installing them needs root:'
        printf '  %s\n' "${reasons[@]}" >&2
        say "run once: sudo apt-get update && sudo ${command[*]}"
        exit 1
    fi
    say 'installing with apt-get:'
    printf '  %s\n' "${reasons[@]}" >&2
    root+=(DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a)
    # apt-get waits for another apt instead of failing beside it.
    wait=(-o DPkg::Lock::Timeout=300)
    # Its output matters only where it fails.
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { "${root[@]}" apt-get "${wait[@]}" update && "${root[@]}" "${command[@]}" "${wait[@]}"; } >"$log" 2>&1 </dev/null; then
        tail -n 30 "$log" >&2
        say "apt-get failed: apt-get update && ${command[*]}"
        exit 1
    fi
fi

if ! has cargo; then
    say 'no cargo in PATH. Install Rust from https://rustup.rs, or source ~/.cargo/env.'
    exit 1
fi

if [ "${1:-}" = --checks ]; then
    for component in fmt:rustfmt clippy:clippy; do
        cargo "${component%%:*}" --version >/dev/null 2>&1 && continue
        name=${component##*:}
        if ! has rustup; then
            say "cargo has no $name. Install it beside your Rust toolchain."
            exit 1
        fi
        say "adding $name to the Rust toolchain"
        rustup --quiet component add "$name"
    done
fi
