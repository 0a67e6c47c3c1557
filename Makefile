# `make` lists what can be made. Only Rust (cargo) and Python 3.11 or newer must be there.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEV := $(VENV)/dev
RELEASE := $(VENV)/release
SOURCES := $(shell find crates presets chips cells -name '*.rs' -o -name '*.toml') Cargo.toml Cargo.lock pyproject.toml

# FScale, a package beside the product, which is installed before it
FSCALE_DEV := $(VENV)/fscale-dev
FSCALE_RELEASE := $(VENV)/fscale-release
FSCALE_SOURCES := $(shell find packages/fscale -name '*.rs' -o -name '*.toml')
INSTALL_FSCALE = $(INSTALL) --manifest-path packages/fscale/bindings/Cargo.toml

# Cargo and maturin compile the same crates, once: the bindings depend on the interpreter that they are told of.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python

# Parts of crates that are kept for the next compilation make this one dearer and the program slower; they pay where one crate
# is edited again and again, in `make quick` and `make check`.
export CARGO_INCREMENTAL ?= 0
quick check: export CARGO_INCREMENTAL := 1

# Without bytecode every command of a test compiles what it imports, which takes longer than the command.
unexport PYTHONDONTWRITEBYTECODE

# Release builds are optimised for what `make pgo` has seen, where their compiler is the one that wrote it down.
PGO := pgo/$(shell rustc --version 2>/dev/null | cut -d' ' -f2).profdata
# Flags are parted at spaces, so that a folder with one in its name does without.
SEEN := $(if $(word 2,$(CURDIR)),,$(wildcard $(PGO)))
RELEASE_FLAGS := $(strip $(RUSTFLAGS) $(if $(SEEN),-Cprofile-use=$(CURDIR)/$(PGO)))
PYTEST := $(BIN)/python -m pytest --quiet --numprocesses=auto --dist=loadgroup
PROFDATA = $(shell rustc --print target-libdir)/../bin/llvm-profdata
MATURIN := env -u CONDA_PREFIX VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin
INSTALL := $(MATURIN) develop --locked

DRIVE ?= datacenter-tlc
SECONDS ?= 60
ROUNDS ?= 10
SEEDED = $(if $(SEED),--seed $(SEED))
BASE ?= HEAD
PROFILE ?= release
CRATE ?= ftl
DRAW ?= 0/3
DEMO = --workload docs/examples/demo.toml
ifdef TRACE
DEMO = --trace '$(TRACE)' --set workload.fold=modulo $(if $(FORMAT),--format '$(FORMAT)')
endif

.DEFAULT_GOAL := help
.PHONY: help setup dev dev-fscale demo test test-all test-touched test-rust test-python test-slow test-studies test-fscale test-fuzz test-blocks lint-rust lint-python quick check bench speed pgo fuzz fio-diff hunt trust mutants mutants-rust identity makers validate lint wheel docs reference lock clean

help:  ## list what can be made
	@grep -hE '^[a-z0-9-]+%?:.*##' $(MAKEFILE_LIST) | sed -E 's/^study-%/study-NAME/; s/:[^#]*## */\t/' | awk -F'\t' '{printf "make %-13s %s\n", $$1, $$2}'

setup: $(RELEASE) $(FSCALE_RELEASE) $(VENV)/studies  ## make .venv with the wordline command in it, as a release: minutes

dev: $(DEV) $(VENV)/studies  ## the same with the development profile, which tests use: seconds after an edit

dev-fscale: $(FSCALE_DEV)  ## FScale beside it, with the development profile

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Wordline needs Python 3.11 or newer; name one: make PYTHON=python3.12" >&2; exit 1; }
	@command -v cargo >/dev/null || { echo "Wordline needs Rust: https://rustup.rs" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Bytecode is written where a module is imported: most of them never are.
$(VENV)/locked: requirements.lock | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement requirements.lock
	@touch $@

# Both builds put the extension at the same place, so one takes the stamp of the other away.
$(RELEASE): $(VENV)/locked $(SOURCES) $(SEEN)
	RUSTFLAGS='$(RELEASE_FLAGS)' $(INSTALL) --release
	@rm -f $(DEV)
	@touch $@

$(DEV): $(VENV)/locked $(SOURCES)
	$(INSTALL)
	@rm -f $(RELEASE)
	@touch $@

$(VENV)/studies: packages/studies/pyproject.toml $(VENV)/locked
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable packages/studies
	@touch $@

$(FSCALE_RELEASE): $(RELEASE) $(FSCALE_SOURCES)
	RUSTFLAGS='$(RELEASE_FLAGS)' $(INSTALL_FSCALE) --release
	@rm -f $(FSCALE_DEV)
	@touch $@

$(FSCALE_DEV): $(DEV) $(FSCALE_SOURCES)
	$(INSTALL_FSCALE)
	@rm -f $(FSCALE_RELEASE)
	@touch $@

# The build that is there, else the one that is there sooner.
demo: $(firstword $(wildcard $(RELEASE) $(DEV)) $(DEV))  ## simulate a drive end to end and write its report; TRACE=file [FORMAT=name] takes your trace
	@$(BIN)/wordline run $(DRIVE) $(DEMO) --out out/demo
	@echo $(CURDIR)/out/demo/report.html

test: dev  ## test the product: Rust, Python, one quick study; code blocks of the pages that were edited
	@# side by side: each leaves cores idle at times
	@$(MAKE) --no-print-directory --jobs=2 test-rust test-python

# the compiler would look for the job server of this make, which it cannot reach; examples are compiled by `make lint`
CARGO_TEST := env -u MAKEFLAGS -u MFLAGS cargo test --quiet

test-rust: $(VENV)/locked
	$(CARGO_TEST) --tests
	$(CARGO_TEST) --doc

test-python: dev
	$(PYTEST)

test-all: test  ## test all there is: the product, and whatever was edited or not: slow tests of Rust, studies, FScale, fuzzing, code blocks of all pages
	@$(MAKE) --no-print-directory test-slow test-studies test-fscale test-fuzz test-blocks

test-touched: dev  ## of the parts that `make test` leaves out, test those that were edited since they passed
	@for part in $$($(BIN)/python scripts/passed.py); do $(MAKE) --no-print-directory test-$$part || exit 1; done

# Each notes in tests/passed.json what it has passed with.
test-slow: $(VENV)/locked  ## run the slow tests of Rust: lives that are simulated whole, long traces
	$(CARGO_TEST) --tests -- --ignored
	@$(BIN)/python scripts/passed.py slow

test-studies: dev  ## run the tests of the studies of the literature
	$(PYTEST) packages/studies/tests
	@$(BIN)/python scripts/passed.py studies

test-fscale: dev-fscale  ## run the tests of FScale, slow ones too
	$(CARGO_TEST) --package wordline-fscale -- --include-ignored
	$(PYTEST) packages/fscale/tests
	@$(BIN)/python scripts/passed.py fscale

# what lets a change in gives the same answer twice; new draws are for `make fuzz` and `make hunt`
test-fuzz: dev  ## fuzz every parser for some seconds
	@$(MAKE) --no-print-directory fuzz SECONDS=4 SEED=1
	@$(BIN)/python scripts/passed.py fuzz

test-blocks: dev  ## run the code blocks of all pages of the documentation, on small drives
	WORDLINE_BLOCKS=all $(PYTEST) tests/test_doc_blocks.py
	@$(BIN)/python scripts/passed.py blocks

quick: $(VENV)/locked  ## formats, lints, types, and the tests of what was edited since BASE=HEAD, without slow ones
	@$(BIN)/python scripts/quick.py --base '$(BASE)'

check: $(VENV)/locked  ## lints and tests of one crate, without slow ones: make check CRATE=ftl
	@$(BIN)/python scripts/quick.py --crate '$(CRATE)'

bench: setup  ## measure the simulator and the readers of traces: work per CPU second, memory
	$(BIN)/python benchmarks/whole_drive.py
	$(BIN)/python benchmarks/backlog.py
	$(BIN)/python benchmarks/lifetime.py
	$(BIN)/python benchmarks/everyday.py
	RUSTFLAGS='$(RELEASE_FLAGS)' cargo run --release --package wordline-workload --example workload_speed

speed: $(VENV)/locked  ## count instructions of reads, writes and drives of today, and compare with benchmarks/speed.json
	cargo build --profile speed --package wordline-drive --example one_run
	$(BIN)/python benchmarks/speed.py $(if $(ACCEPT),--accept)

pgo: $(VENV)/locked  ## watch the simulator at work, for release builds of this compiler; once: rustup component add llvm-tools
	@test -x $(PROFDATA) || { echo "No llvm-profdata: rustup component add llvm-tools" >&2; exit 1; }
	rm -rf target/pgo/counts
	RUSTFLAGS='-Cprofile-generate=$(CURDIR)/target/pgo/counts' CARGO_TARGET_DIR=target/pgo $(INSTALL) --release
	rm -rf target/pgo/counts # of what took part in building
	$(BIN)/python pgo/train.py
	$(PROFDATA) merge --sparse --output $(PGO) target/pgo/counts
	@rm -f $(DEV) $(RELEASE)
	@touch $(PGO)

fuzz: dev  ## fuzz every parser, SECONDS=60 each, four at a time; then run random configurations for ten times as long; SEED=1 draws the same again
	$(BIN)/python fuzz/run.py --seconds $(SECONDS) $(SEEDED)
	$(BIN)/python fuzz/configurations.py --seconds $$((10 * $(SECONDS))) $(SEEDED)

fio-diff: $(VENV)/locked  ## run JOBS=400 drawn jobs in fio, where it is installed, and compare their commands with Wordline's; SEED=1 draws the same again
	cargo build --package wordline-workload --example fio_commands
	$(BIN)/python scripts/fio_diff.py --jobs $(or $(JOBS),400) $(if $(SEED),--seed $(SEED))

trust: setup  ## run the long comparisons with closed forms, and the blocks of the documentation as they are written
	cargo run --release --package wordline-ftl --example trust
	cargo run --release --package wordline-drive --example power_cuts
	cargo run --release --package wordline-drive --example steady
	cargo run --release --package wordline-drive --example decoding
	WORDLINE_BLOCKS=written $(PYTEST) tests/test_doc_blocks.py packages/fscale/tests/test_fscale_docs.py

mutants: dev  ## put small defects into a copy of the Python package and show that the tests notice each: NAMES="..." for some
	$(BIN)/python tests/mutants/try_mutants.py $(NAMES)

hunt: $(VENV)/locked  ## run the property tests of Rust with cases that no run had before, ROUNDS=10 times; the seed is printed
	@for round in $$(seq $(ROUNDS)); do \
	  PROPTEST_RNG_SEED=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ') && export PROPTEST_RNG_SEED && \
	  echo "PROPTEST_RNG_SEED=$$PROPTEST_RNG_SEED" && \
	  env -u MAKEFLAGS -u MFLAGS cargo test --workspace --quiet --tests || exit 1; \
	done

# Every third mutant, by its place in the list, so that a draw can be repeated; `metrics` has twice as many as `nand`.
mutants-rust:  ## change one operator or result of a crate at a time and show that its tests notice: CRATE=nand DRAW=0/3
	@cargo mutants --version >/dev/null || { echo "No cargo-mutants: cargo install cargo-mutants --locked" >&2; exit 1; }
	CARGO_PROFILE_DEV_DEBUG=0 PROPTEST_CASES=64 cargo mutants --package wordline-$(CRATE) --shard $(DRAW) \
	  --sharding round-robin --timeout 60 --cap-lints=true --output target/mutants

study-%: setup  ## do a study again, all of it, such as study-hu2011: minutes on two cores, after the release build
	$(BIN)/wordline reproduce $* --out docs/studies

identity: dev  ## compare results with the committed ones; ACCEPT="case ..." BECAUSE=reason takes over new ones
	@$(BIN)/python identity/check.py $(CASES) $(if $(ACCEPT),--accept $(ACCEPT) --because '$(BECAUSE)') $(if $(KEEP),--keep '$(KEEP)')

lint: | $(BIN)/python  ## check formatting, lints and types
	@# side by side: in a fresh clone packages are unpacked while crates are compiled
	@$(MAKE) --no-print-directory --jobs=2 lint-rust lint-python

lint-rust: | $(BIN)/python
	cargo fmt --all --check
	env -u MAKEFLAGS -u MFLAGS cargo clippy --workspace --all-targets -- --deny warnings

lint-python: $(VENV)/locked
	$(BIN)/python scripts/imports.py ftl config lifetime drive buffer scheduler overlay keys ecc live packages/fscale/model units
	$(BIN)/python scripts/imports.py --rooms $(notdir $(wildcard crates/*)) packages/fscale/model
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy

makers: dev  ## simulate the drives of today beside makers' data sheets again: a quarter of an hour; NAMES="client-qlc" for some
	$(BIN)/python docs/makers.py $(NAMES)
	$(BIN)/python docs/generate.py

validate: $(RELEASE)  ## simulate fourteen drives assembled from parts, beside what was measured of seven: half an hour; needs measurements beside the repository
	$(BIN)/python -m validation

reference: dev  ## write the generated pages of the documentation anew
	$(BIN)/python docs/generate.py

wheel: $(VENV)/locked  ## build wheels into dist/ and try them in a fresh virtual environment without Rust
	rm -rf dist
	RUSTFLAGS='$(if $(filter release,$(PROFILE)),$(RELEASE_FLAGS),$(RUSTFLAGS))' $(MATURIN) build --profile $(PROFILE) --locked --out dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist ./packages/studies
	$(PYTHON) scripts/try_wheel.py dist

docs: reference  ## build the documentation into site/
	$(BIN)/mkdocs build --strict --quiet
	@echo site/index.html

lock:  ## write requirements.lock anew, with the newest versions
	rm -rf $(VENV)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade $$($(PYTHON) -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*[f"\"{d}\"" for d in p["dependencies"] + p["optional-dependencies"]["sweep"] + p["optional-dependencies"]["dev"]])' | tr -d '"')
	{ echo '# Exact versions of everything that development needs; `make lock` writes this file anew.'; \
	  $(BIN)/python -m pip freeze --exclude pip; } > requirements.lock

clean:  ## remove everything that was built
	rm -rf $(VENV) target site out dist
