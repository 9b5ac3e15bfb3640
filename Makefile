# The doors for people: `make` lists them. Outputs follow their sources: geoms/ -> cases/ -> runs/ -> statistics.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

CARGO := cargo
BIN := target/release
# What the shipped runs are called with, e.g. `make demo RUN="mpirun -n 4 target/release/run"`.
MKCASE := $(BIN)/mkcase
RUN := $(BIN)/run
POST := $(BIN)/post

CASES := $(patsubst cases/%.json,%,$(wildcard cases/*.json))
RUNS := $(patsubst runs/%.json,%,$(wildcard runs/*.json))
DEMO := aneurysm
# Rounds of `make test-full`: in each, ranks of a run are killed and it goes on.
ROUNDS := 20
# Options of `make endurance`, e.g. ENDURANCE="--only tube --seconds 600".
ENDURANCE :=

# mpirun in containers: as root, more ranks than cores, no single-copy between processes (Open MPI 4, then 5).
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
export OMPI_MCA_rmaps_base_oversubscribe := 1
export OMPI_MCA_btl_vader_single_copy_mechanism := none
export PRTE_MCA_rmaps_default_mapping_policy := :oversubscribe

.PHONY: help setup build demo lava all test test-full lint validate endurance bench geoms clean

help: ## list the targets
	@echo 'Hematite. Needs a Rust toolchain (https://rustup.rs); the rest is installed when missing (tools/setup.sh).'
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18
	@echo '  make runs/NAME/.done, cases/NAME.h5, runs/NAME/statistics/.done: one output and what it needs'
	@echo 'Cases: $(CASES)'
	@echo 'Runs:  $(RUNS)'

setup: ## install missing system packages (apt-get; asks nothing)
	@tools/setup.sh

build: setup ## build mkcase, run and post in target/release
	@$(CARGO) build --release --locked -p mkcase -p run -p post

demo: $(DEMO:%=runs/%/statistics/.done) ## the shipped examples from geometry to figures
	@echo 'Figures, each also as .svg:'
	@find $(DEMO:%=runs/%/statistics) -name '*.png' | sort | sed 's/^/  /'
	@echo 'Cells:'
	@cat $(DEMO:%=runs/%/statistics/cells.txt) | sed '/\.csv$$/d; /\.png$$/d; /\.svg$$/d; /\.json$$/d; s/^/  /'

lava: runs/volcano/statistics/.done ## an eruption on a volcano, from terrain to maps
	@find runs/volcano/statistics -name '*.png' | sort | sed 's/^/  /'

all: $(RUNS:%=runs/%/statistics/.done) ## every run of runs/ and its statistics

test: ## format, lints, a build without MPI, all tests
	@$(MAKE) --no-print-directory lint
	$(CARGO) check --release --locked -p run --no-default-features
	$(CARGO) build --release --locked
	tools/test_programs.sh $(CARGO) test --release --locked --workspace

test-full: ## the same and the longest tests, with every combination of ranks and restarts, and 20 rounds of killed ranks in place of 1 (ROUNDS=100 for more)
	@HEMATITE_FULL=1 HEMATITE_CHAOS=$(ROUNDS) $(MAKE) --no-print-directory test

lint: ## format, lints and documentation alone
	@tools/setup.sh --checks
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --release --locked --workspace --no-deps --document-private-items

validate: build ## physics against published numbers, as a table
	@$(CARGO) run --quiet --release --locked -p validation

endurance: build ## blood in many vessels for very many steps, as a table (hours on a GPU; goes on where it was stopped)
	@$(CARGO) run --quiet --release --locked -p validation --bin endurance -- $(ENDURANCE)

bench: build ## speed on this machine's GPU, with blood and without
	@$(CARGO) run --quiet --release --locked -p validation --bin bench -- --cells --bodies

geoms: ## draw the shipped geometries again
	@$(MAKE) --no-print-directory --always-make $(GEOMS)

clean: ## remove outputs: case files and run folders, nothing built
	rm -rf $(CASES:%=cases/%.h5) $(CASES:%=cases/%.png) $(CASES:%=cases/%.svg) $(RUNS:%=runs/%)

# --- geoms/ -> cases/ -> runs/ -> statistics -------------------------------------------------------------------------

# Drawn where missing; the same picture every time.
GEOMS := geoms/aneurysm.png geoms/aneurysm-standard.png geoms/aneurysm-large.png geoms/bifurcation.mha geoms/porous.mha \
	geoms/slit.png geoms/square.png geoms/volcano.asc
geoms/aneurysm.png: SHAPE := aneurysm --size 64
geoms/aneurysm-standard.png: SHAPE := aneurysm --size 250
geoms/aneurysm-large.png: SHAPE := aneurysm --size 250 --length 2556
geoms/bifurcation.mha: SHAPE := bifurcation --size 24 --voxels
geoms/porous.mha: SHAPE := porous --size 64
geoms/slit.png: SHAPE := channel --size 32 --length 96
geoms/square.png: SHAPE := channel --size 128 --length 128
geoms/volcano.asc: SHAPE := volcano --size 256
$(GEOMS): | setup
	$(CARGO) run --quiet --release --locked -p hematite-geometry --example draw -- $(SHAPE) -o $@

# A path in the config $(1), relative to it, as seen from here.
here = $(patsubst $(CURDIR)/%,%,$(abspath $(dir $(1))$(2)))
# The geometry that a case names: whatever text in it is the path of a file. The case that a run names.
is_file = $(or $(wildcard $(1)),$(filter $(GEOMS),$(1)))
geometry_of = $(foreach text,$(shell grep -oE '"[^" ]+"' cases/$(1).json | tr -d '"'),$(call is_file,$(call here,cases/,$(text))))
case_of = $(call here,runs/,$(shell sed -nE 's/.*"case"[[:space:]]*:[[:space:]]*"([^"]*)".*/\1/p' runs/$(1).json | head -n 1))

define case_rule
cases/$(1).h5: cases/$(1).json $(call geometry_of,$(1)) | build
	$$(MKCASE) $$< -o $$@
endef

# A run starts over in an empty folder; the stamp is there only when it came to its end.
define run_rule
runs/$(1)/.done: runs/$(1).json $(call case_of,$(1)) | build
	rm -rf $$(@D)
	$$(RUN) $$< -o $$(@D)
	@touch $$@

runs/$(1)/statistics/.done: runs/$(1)/.done
	if grep -q '"lava"' runs/$(1).json; then $$(POST) lava runs/$(1) -o $$(@D); else $$(POST) flow runs/$(1) -o $$(@D); fi
	if [ -e runs/$(1)/cells.vtkhdf ]; then $$(POST) cells runs/$(1) -o $$(@D) | tee $$(@D)/cells.txt; fi
	if [ -e runs/$(1)/bodies.vtkhdf ]; then $$(POST) bodies runs/$(1) -o $$(@D); fi
	if [ -e runs/$(1)/polymers.vtkhdf ]; then $$(POST) polymers runs/$(1) -o $$(@D); fi
	@touch $$@
endef

$(foreach name,$(CASES),$(eval $(call case_rule,$(name))))
$(foreach name,$(RUNS),$(eval $(call run_rule,$(name))))
