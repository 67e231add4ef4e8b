# Everything runs in .venv; only Python 3.11 or newer and make are needed beforehand.
PYTHON ?= python3
PYTEST_ARGS ?= -n auto --dist loadgroup
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test lint format types layers cover fuzz bench wheel-test clean

help:
	@echo "make demo        render a sample conversation with examples/chat.jinja"
	@echo "make test        all tests (the recorded corpora only if they are beside the repository)"
	@echo "make lint        style; make format mends it"
	@echo "make types       mypy --strict"
	@echo "make layers      who may import whom"
	@echo "make cover       branch coverage by the own tests, without the corpora"
	@echo "make fuzz        the property tests with many examples, then twice ten minutes of random templates"
	@echo "make bench       speed beside Jinja2 and minijinja (needs the real templates)"
	@echo "make wheel-test  build the wheel and try it in a fresh environment"

demo: $(VENV)/.for-demo
	@$(BIN)/chatjinja render examples/chat.jinja

test: $(VENV)/.for-test
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.for-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.for-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/.for-dev
	$(BIN)/mypy

layers: $(VENV)/.for-dev
	$(BIN)/lint-imports

cover: $(VENV)/.for-dev
	$(BIN)/python -m pytest $(PYTEST_ARGS) --ignore=tests/conformance --cov --cov-report=term-missing

fuzz: $(VENV)/.for-test
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m hypothesis --hypothesis-profile=fuzz
	$(BIN)/python -m fuzz.run --minutes 10
	$(BIN)/python -m fuzz.jinja --minutes 10

bench: $(VENV)/.for-test
	$(BIN)/python -m benchmarks.engines
	$(BIN)/python -m benchmarks.stages
	$(BIN)/python -m benchmarks.scaling
	$(BIN)/python -m benchmarks.memory
	$(BIN)/python -m benchmarks.import_time

wheel-test: $(VENV)/.exists
	.ci/wheel-test $(BIN)/python

clean:
	rm -rf $(VENV) dist build .coverage .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis

# The stamps are newer than pyproject.toml once its dependencies are installed.
$(VENV)/.exists:
	@$(PYTHON) -c 'import sys; sys.exit("chatjinja needs Python 3.11 or newer, this is " + sys.version.split()[0] + "; use make PYTHON=...") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.for-demo: pyproject.toml | $(VENV)/.exists
	$(BIN)/python -m pip install --quiet --editable '.[cli]'
	@touch $@

$(VENV)/.for-test: pyproject.toml | $(VENV)/.exists
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@ $(VENV)/.for-demo

$(VENV)/.for-dev: pyproject.toml | $(VENV)/.exists
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.for-test $(VENV)/.for-demo
