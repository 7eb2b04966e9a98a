# Everything below works on a machine with Python 3.10 or later, g++ and make; it sets up its own environment in .venv.

PYTHON ?= python3
VENV := .venv
EXTRA := dev
WORKERS := 2
# clang++ takes half the time of g++, which `make test` compiles with.
QUICK = $(if $(shell command -v clang++),clang++)
# Neighbours share what they build, and whoever is done takes tests of the other.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal
BIN := $(VENV)/bin
SPECS := $(sort $(wildcard examples/*.py))
DEMO := $(filter examples/3%,$(SPECS))
# A traced function becomes what the same graph becomes that is written by hand.
PRODUCTS := $(filter-out examples/traced.py,$(SPECS))

.PHONY: help clock demo test proof coverage quick fast lint bench fuzz sabotage sabotage-ascend950 sabotage-numbers strict generated docs site clean

help:
	@echo "make demo       build and verify the four examples, on this machine alone"
	@echo "make quick      lint, types and the tests that compile nothing: a minute"
	@echo "make test       the same, and compiled tests that reach every node, kernel, architecture and check: five minutes"
	@echo "make proof      all other tests, of the longest a sample: up to twenty minutes on two cores"
	@echo "make coverage   all tests, and which files they run least of"
	@echo "make bench      the benchmarks"
	@echo "make sabotage   break the emitted code in every way; each must be flagged (docs/sabotage.md)"
	@echo "make sabotage-ascend950"
	@echo "                the same for Ascend950"
	@echo "make sabotage-numbers"
	@echo "                change its arithmetic a little in every place; numbers alone must tell"
	@echo "make clock      the clock against published measurements (docs/clock.md; two minutes)"
	@echo "make fuzz       damaged files of every kind that evtgen reads, FUZZ_SECONDS=60 of each"
	@echo "make strict     the tests that take a sample, with all: of shapes, orders, compilers and the gallery (an hour)"
	@echo "make generated  rewrite generated/ from the examples"
	@echo "make docs       rewrite the generated pages of docs/"
	@echo "make site       build/site, the pages of docs/ and reports of the gallery as a site; a link that leads nowhere fails; minutes"
	@echo "make clean      remove what these made"

# The catalogs of messages are compiled when evtgen is installed.
INSTALLED := pyproject.toml hatch_build.py $(wildcard evtgen/system/locale/*/LC_MESSAGES/*.po)

$(VENV)/installed: $(INSTALLED)
	@echo "setting up $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(VENV)/installed-$(EXTRA): $(INSTALLED)
	@test -e $(VENV)/installed || { echo "setting up $(VENV) ..."; $(PYTHON) -m venv --clear $(VENV); }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(EXTRA)]'
	@touch $(VENV)/installed $@

demo: $(VENV)/installed
	@echo "Four matmul epilogues from $(dir $(firstword $(DEMO))): writing their C++ headers to build/demo ..."
	@$(BIN)/evtgen build $(DEMO) -o build/demo/include --examples build/demo/examples | tail -n 1
	@echo "Compiling the headers and running them on the CPU model of the NPU ..."
	@$(BIN)/evtgen verify $(DEMO) --headers build/demo/include
	@echo
	@echo "Each line above is generated C++ that ran with every memory access and every flag watched: 'wrong' counts the"
	@echo "elements that differ from numpy, 'hazards' the synchronisation that the code forgot."

lint: $(VENV)/installed-$(EXTRA)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	MYPYPATH=. $(BIN)/mypy --explicit-package-bases examples/*.py examples/gallery/*.py
	$(BIN)/lint-imports --no-logo

fast: $(VENV)/installed-$(EXTRA)
	$(PYTEST) -m fast

quick: lint fast

test: lint
	$(PYTEST) -m "fast or core"

proof: $(VENV)/installed-$(EXTRA)
	EVTGEN_CXX=$(QUICK) $(PYTEST) -m "not (fast or core)"

coverage: $(VENV)/installed-$(EXTRA)
	$(PYTEST) --cov --cov-report=
	@echo "Coverage by the tests' own processes: the ten lowest files, and all"
	@$(BIN)/coverage report --sort=cover | sed -n '1,12p;$$p'

bench: $(VENV)/installed-$(EXTRA)
	@$(BIN)/python -m benchmarks

fuzz: $(VENV)/installed-$(EXTRA)
	@$(BIN)/python -m tests.properties

sabotage: $(VENV)/installed-$(EXTRA)
	@EVTGEN_CACHE=$(CURDIR)/build/sabotage $(BIN)/python -m sabotage

sabotage-ascend950: $(VENV)/installed-$(EXTRA)
	@EVTGEN_CACHE=$(CURDIR)/build/sabotage $(BIN)/python -m sabotage --arch Ascend950

sabotage-numbers: $(VENV)/installed-$(EXTRA)
	@EVTGEN_CACHE=$(CURDIR)/build/sabotage $(BIN)/python -m sabotage.numbers

strict: $(VENV)/installed-$(EXTRA)
	@EVTGEN_FULL=1 EVTGEN_CXX=$(QUICK) $(PYTEST) $(shell grep -lE 'EVTGEN_FULL|import .*\b(ARCHES|FULL|in_orders|quick_compilers|random_orders|sample_of|written)\b' tests/*/test_*.py)

clock: $(VENV)/installed-$(EXTRA)
	for language in en zh; do EVTGEN_LANG=$$language $(BIN)/python -m docs.generate clock docs || exit; done

generated: $(VENV)/installed
	rm -rf generated/include generated/examples
	$(BIN)/evtgen build $(PRODUCTS) -o generated/include --examples generated/examples

# What has no language in its name is in English, whatever the user's is.
docs clock site build/reports/made: export EVTGEN_LANG = en

docs: $(VENV)/installed
	$(BIN)/python -m docs.generate messages evtgen/system/locale
	$(BIN)/python -m docs.generate errors docs
	$(BIN)/python -m docs.generate stubs evtgen
	$(BIN)/python -m docs.generate functions docs
	$(BIN)/python -m docs.generate operands docs
	$(BIN)/python -m docs.generate accuracy docs
	$(BIN)/python -m docs.generate gallery docs
	for page in errors functions operands accuracy gallery tutorial; do EVTGEN_LANG=zh $(BIN)/python -m docs.generate $$page docs || exit; done
	$(BIN)/python -m docs.generate tutorial docs
	$(BIN)/python -m docs.generate timeline docs

# The playground is left out where npm is not there, or has no network.
build/npm:
	@-npm install --silent --no-save --no-audit --no-fund --prefix $@ pyodide@314.0.7 @wasm-fmt/clang-format@18.1.8 \
		|| { rm -rf $@; false; }

# Reports that the site links; compiled programs take most of the time, and are kept.
build/reports/made: $(VENV)/installed-$(EXTRA) docs/generate/reports.py docs/generate/site/entries.py \
		$(shell find evtgen templates examples/gallery \( -name '*.py' -o -name '*.[chj]*' \) ! -name '*.pyc')
	@mkdir -p $(@D) && $(BIN)/python -m docs.generate reports $(@D) && touch $@

site: $(VENV)/installed-$(EXTRA) build/npm build/reports/made
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .coverage
