# `make demo` and `make test` do all set-up themselves; nothing but Python 3.11+ and a JDK 17+ must be there.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint types contract unit docs format clean

help: ## Show what can be made
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

$(READY): pyproject.toml lab/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Sparing needs Python 3.11 or newer, and $(PYTHON) is older: run make with PYTHON=python3.11 (or newer)."; exit 1; }
	@echo "Setting up $(VENV) (a few minutes the first time) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[dev]' -e lab
	@touch $(READY)

.PHONY: java
java:
	@{ [ -n "$$JAVA_HOME" ] && [ -x "$$JAVA_HOME/bin/java" ]; } || command -v java >/dev/null || { echo "Sparing needs a Java runtime, 17 or newer, and none was found: install one, e.g. with 'apt-get install openjdk-17-jre-headless'."; exit 1; }

setup: $(READY) ## Create .venv with the sparing command and the laboratory in it

demo: setup java ## A small city of traffic on local Spark, and its bill
	@$(BIN)/sparing demo

test: setup java ## Lint, types, import contract, all tests
	@$(MAKE) --no-print-directory -j2 --output-sync=target lint types contract loops
	@$(MAKE) --no-print-directory unit

.PHONY: loops
loops: setup
	@$(BIN)/python -m tests.loops

lint: setup ## Check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## Check types
	$(BIN)/mypy

contract: setup ## Check that imports only look down
	$(BIN)/lint-imports

unit: setup java ## Run the tests, on as many processes as there are cores, up to four
	$(BIN)/python -m pytest -n auto --maxprocesses 4

.PHONY: faults
faults: setup java ## The fault matrix; KILLS=100 DAMAGES=40 is the thorough form
	$(BIN)/sparing bench faults --kills $(or $(KILLS),5) --damages $(or $(DAMAGES),10)

docs: setup ## Build the documentation's site, site/index.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

format: setup ## Put style right
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## Remove the environment and what runs left behind
	rm -rf $(VENV) demo out site spark-warehouse .mypy_cache .ruff_cache .pytest_cache .hypothesis
