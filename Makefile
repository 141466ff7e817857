# `make demo` and `make test` need Python 3.11 or later, a C compiler, make and bash;
# everything else is installed into the virtual environment.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Nothing is compiled to bytecode before it is used: most of what the checks need never is.
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
	--constraint constraints.txt
# With the pinned builders of the environment, so that two builds of one commit agree.
BUILD := $(BIN)/python -m build --no-isolation --outdir dist

CYTHON := $(wildcard bura_core/*.pyx bura_core/*.pxd)
CORE := setup.py pyproject.toml MANIFEST.in $(CYTHON)
SERVICE := service/pyproject.toml clients/python/pyproject.toml
WEB := clients/web
PYTHON_SOURCES := $(shell find bura_core service/src clients/python/src -name '*.py*' \
	-not -path '*/__pycache__/*' 2>/dev/null)
STUBBED := $(patsubst bura_core/%.pyi,bura_core.%,$(wildcard bura_core/*.pyi))
TYPED := bura_core service/src/bura_service clients/python/src/bura tests/reference.py \
	tests/reference_seats.py

.PHONY: help
help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1:\2/p' Makefile | awk -F: '{printf "make %-12s %s\n", $$1, $$2}'

.PHONY: demo
demo: build  ## start the service and ask it for one move
	@tools/demo $(BIN)

.PHONY: build
build: $(VENV)/.dists  ## compile the core and install all three packages into .venv

$(VENV)/.base: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
	"Python 3.11 or later is needed: make PYTHON=/path/to/python3.11")'
	@echo 'Making a virtual environment in $(VENV) ...'
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	@$(INSTALL) 'cython>=3.3,<3.4' setuptools wheel
	@touch $@

$(VENV)/.core: $(VENV)/.base $(CORE)
	@echo 'Compiling bura_core, a minute or so ...'
	@$(INSTALL) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.dists: $(VENV)/.core $(SERVICE)
	@echo 'Installing the client and the service ...'
	@$(INSTALL) --no-build-isolation --editable clients/python --editable service
	@touch $@

# The extra's requirements, not the extra: that would compile the core once more.
EXTRA = $(BIN)/python -c 'import sys, tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"][sys.argv[1]], \
	sep="\n")'

$(VENV)/.tools: $(VENV)/.base pyproject.toml | $(VENV)/.core
	@echo 'Installing what the checks need ...'
	@$(EXTRA) dev >$(VENV)/dev.txt
	@$(INSTALL) --requirement $(VENV)/dev.txt
	@touch $@

.PHONY: test
test: lint types hints stubs sanitize  ## everything that needs no browser
	@echo
	@echo '*** Left out: the page and its TypeScript client, in a real browser: make test-web ***'
	@echo
	$(BIN)/pytest -n 2

# Needs Node 18 or later with npm, and Chromium (Debian's packages nodejs, npm and chromium).
.PHONY: test-web
test-web: $(WEB)/node_modules/.installed $(VENV)/.web $(VENV)/.dists  ## the page and the TypeScript client, in a real browser
	cd $(WEB) && npm run --silent check
	$(BIN)/ruff check clients/web/tests
	$(BIN)/ruff format --check clients/web/tests
	$(BIN)/pytest clients/web/tests

$(WEB)/node_modules/.installed: $(WEB)/package.json $(WEB)/package-lock.json
	@command -v npm >/dev/null || { echo 'npm is needed: Debian has it as npm' >&2; exit 2; }
	cd $(WEB) && npm ci --no-audit --no-fund
	@touch $@

$(VENV)/.web: $(VENV)/.tools pyproject.toml
	@$(EXTRA) web >$(VENV)/web.txt
	@$(INSTALL) --requirement $(VENV)/web.txt
	@touch $@

.PHONY: web
web: $(WEB)/node_modules/.installed  ## generate the TypeScript stubs and build the page anew
	cd $(WEB) && npm run --silent generate && npm run --silent build

.PHONY: lint
lint: $(VENV)/.tools  ## ruff and cython-lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	PATH=$(abspath $(BIN)):$$PATH cython-lint bura_core  # it starts pycodestyle by name

.PHONY: format
format: $(VENV)/.tools  ## let ruff rewrite the Python files
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.PHONY: types
types: $(VENV)/.tools $(VENV)/.dists  ## mypy, and the stubs of the compiled modules
	$(BIN)/mypy $(TYPED)
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml \
		--allowlist tools/stubtest-allowed --ignore-unused-allowlist $(STUBBED)

# A function that needs the GIL only to look for an exception is 50 times slower, and this
# line in Cython's log is all that tells.
.PHONY: hints
hints: $(VENV)/.base  ## no performance hint when Cython compiles the core
	@rm -rf build/hints && mkdir -p build/hints
	@cp -R LICENSE README.md setup.py pyproject.toml bura_core build/hints
	@cd build/hints && $(abspath $(BIN))/python setup.py --version >log 2>&1 || { cat log; exit 1; }
	@if grep -A2 'performance hint' build/hints/log; then exit 1; else echo 'No performance hints.'; fi

.PHONY: stubs
stubs: $(VENV)/.tools  ## the contract's conventions and promises, and its committed stubs
	cd proto && $(abspath $(BIN))/buf lint
	@mkdir -p build
	cd proto && $(abspath $(BIN))/buf build --output ../build/contract.binpb
	cd proto && $(abspath $(BIN))/buf breaking ../build/contract.binpb --against image.binpb
	$(BIN)/python proto/generate.py --check

.PHONY: proto-image
proto-image: $(VENV)/.tools  ## promise the contract as it is now: what is in it stays
	cd proto && $(abspath $(BIN))/buf build --output image.binpb

# Runs against a build of its own, with assertions and bounds checks.
.PHONY: sanitize
sanitize: $(VENV)/.tools $(VENV)/.dists  ## the core's tests under ASan and UBSan
	@tools/sanitize $(BIN)

# Assertions, bounds checks and debug symbols, beside the usual build: put build/debug/lib first
# on PYTHONPATH.
.PHONY: debug
debug: $(VENV)/.base  ## a build of the core with assertions, in build/debug/lib
	BURA_DEBUG=1 $(BIN)/python setup.py --quiet build --build-lib build/debug/lib \
		--build-temp build/debug/temp

.PHONY: fuzz
fuzz: debug $(VENV)/.tools  ## fuzz notations and solver, SECONDS=60 each
	@$(EXTRA) fuzz >$(VENV)/fuzz.txt
	@$(INSTALL) --requirement $(VENV)/fuzz.txt
	PYTHONPATH=build/debug/lib $(BIN)/python tests/fuzz/run.py notation --seconds $(or $(SECONDS),60)
	PYTHONPATH=build/debug/lib $(BIN)/python tests/fuzz/run.py boundary --seconds $(or $(SECONDS),60)

.PHONY: bench
bench: $(VENV)/.tools $(VENV)/.dists  ## the benchmarks, with their timings
	$(BIN)/bura bench
	$(BIN)/python benchmarks/workload.py
	$(BIN)/pytest benchmarks

.PHONY: compare
compare: $(VENV)/.tools $(VENV)/.dists  ## the solver beside others (PROGRAM=path: that one, too)
	@$(EXTRA) bench >$(VENV)/bench.txt
	@$(INSTALL) --requirement $(VENV)/bench.txt
	$(BIN)/python benchmarks/compare.py $(if $(PROGRAM),--program $(PROGRAM))

.PHONY: bench-signature
bench-signature: $(VENV)/.tools $(VENV)/.dists  ## note down that search or advice changed on purpose
	$(BIN)/python benchmarks/signature.py --write
	$(BIN)/python benchmarks/workload.py --write

.PHONY: dist
dist: build/.dist  ## sdists and wheels of all three packages, for any machine, in dist/

build/.dist: $(VENV)/.tools $(CORE) $(SERVICE) $(PYTHON_SOURCES)
	rm -rf dist
	BURA_PORTABLE=1 $(BUILD) .
	$(BUILD) clients/python
	$(BUILD) service
	@mkdir -p build && touch $@

# The versions that `make test` runs with, found anew: the newest that fit pyproject.toml.
.PHONY: constraints
constraints:  ## pin the newest versions of all dependencies in constraints.txt
	rm -rf build/pins
	$(PYTHON) -m venv build/pins
	build/pins/bin/pip install --quiet 'cython>=3.3,<3.4' 'setuptools>=77' wheel
	build/pins/bin/pip install --quiet --no-build-isolation \
		--editable '.[dev,bench,fuzz]' --editable clients/python --editable service
	{ sed '/^[^#]/,$$d' constraints.txt; \
		build/pins/bin/pip freeze --all --exclude-editable --exclude pip; } >build/pins/new
	mv build/pins/new constraints.txt

.PHONY: clean
clean:  ## remove what was built, and the virtual environment
	rm -rf $(VENV) build dist proto/.tools
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f bura_core/*.so bura_core/*.c bura_core/*.html
	find . -name node_modules -prune -o \( -name __pycache__ -o -name '*.egg-info' \) \
		-prune -exec rm -rf {} +
