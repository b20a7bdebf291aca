# Everything starts from a machine that has Python 3.11 or newer and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# Real data for tests and experiments, where the folder is there; tests that need it skip otherwise.
ifneq ($(wildcard $(CURDIR)/../shared/data/README.md),)
export UNSLANT_DATA ?= $(abspath $(CURDIR)/../shared/data)
endif

# Real language models for tests, which .ready-lm fetches; tests that need an absent one skip.
MODELS := $(VENV)/models
export UNSLANT_MODELS ?= $(abspath $(MODELS))

.PHONY: demo test test-full coverage lint golden bench papers attack figures docs release lock clean

demo: $(READY)
	$(BIN)/unslant audit --html unslant-report.html --record unslant-report.json --overwrite
	$(BIN)/unslant debias --with "hard | misp" -o unslant-report-fair.safetensors --html unslant-report-fair.html --overwrite

test: lint $(VENV)/.ready-lm $(VENV)/.ready-browser $(VENV)/.ready-docs
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-full: $(VENV)/.ready-lm $(VENV)/.ready-browser $(VENV)/.ready-docs
	$(BIN)/python -m pytest -m "full or not full"

# The same tests, counting the branches that they take; ends with an error below 90 %.
coverage: $(VENV)/.ready-lm $(VENV)/.ready-browser $(VENV)/.ready-docs
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder --cov=src/unslant --cov-branch --cov-report= --cov-report=json:$(VENV)/coverage.json
	$(BIN)/python scripts/branch_coverage.py $(VENV)/coverage.json

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The safety net: replays commands, plans and records, and compares them with tests/golden/net.
golden: $(VENV)/.ready-lm
	$(BIN)/python -m scripts.golden

bench: $(VENV)/.ready-lm $(VENV)/.ready-browser $(VENV)/.ready-peers
	$(BIN)/python benchmarks/run.py

# The published tables, ours beside them: make papers VECTORS=DIR computes what needs no training on
# the vectors in DIR (docs/papers/README.md says which); without VECTORS, from committed numbers.
papers: $(READY)
	$(BIN)/python -m experiments.papers $(VECTORS) --work $(VENV)/papers-study --workers 2

# Every promise with its full counts, and mistakes of others put into our code: docs/promises.md.
attack: $(VENV)/.ready-lm $(VENV)/.ready-browser
	$(BIN)/python attacks/run.py --json attacks/results.json

figures: $(READY) $(VENV)/.ready-browser
	$(BIN)/python scripts/terminal_picture.py docs/images
	$(BIN)/python scripts/screenshots.py docs/images

# The documentation site, which needs no network: open site/index.html. The examples of the command
# reference run first, if the code has changed since they last ran (some minutes).
docs: $(VENV)/.ready-docs $(VENV)/.ready-lm
	$(BIN)/python -m scripts.command_pages $(VENV)/command-outputs.json
	UNSLANT_OUTPUTS=$(VENV)/command-outputs.json NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet

# The wheel and the sdist, tried in empty environments of every supported Python that is here.
release: $(READY)
	$(BIN)/python scripts/release_check.py dist

# The environment is built once; it is built anew when what it is made of changes.
$(READY): pyproject.toml requirements/dev.txt
	$(PYTHON) -c 'import sys; sys.exit("Unslant needs Python 3.11 or newer; name one with: make PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# torch is large, so only the tests get it; what needs it is skipped where it is absent. Where pip
# finds no build without graphics cards for Linux, the index's build comes with NVIDIA's packages.
$(VENV)/.ready-torch: $(READY) requirements/torch.txt requirements/torch-cuda.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/torch.txt \
	|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/torch-cuda.txt
	@touch $@

# transformers and its kin, and four real models; without a network to fetch them, tests skip.
$(VENV)/.ready-lm: $(VENV)/.ready-torch requirements/lm.txt scripts/test_models.py scripts/converted_weights.py
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/lm.txt
	$(BIN)/python scripts/test_models.py $(MODELS)
	@touch $@

# Reports and the page are tested in a real browser; the tests skip where none can be installed.
$(VENV)/.ready-browser: $(READY) scripts/browser.sh
	sh scripts/browser.sh
	@touch $@

$(VENV)/.ready-docs: $(READY) requirements/docs.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/docs.txt
	@touch $@

# Those that are measured beside us have an environment of their own, with the versions they need:
# bench.txt has the rest of what torch needs, and comes second because WEFE needs an older setuptools.
PEERS := $(VENV)/peers/bin/python -m pip install --quiet --disable-pip-version-check
$(VENV)/.ready-peers: $(VENV)/.ready-torch requirements/bench.txt requirements/lm.txt requirements/peers.txt
	$(PYTHON) -m venv $(VENV)/peers
	$(PEERS) --require-hashes --no-deps -r requirements/torch.txt || $(PEERS) --require-hashes --no-deps -r requirements/torch-cuda.txt
	$(PEERS) --require-hashes -r requirements/bench.txt
	$(PEERS) --require-hashes --no-deps -r requirements/lm.txt
	$(PEERS) --require-hashes --no-deps -r requirements/peers.txt
	$(PEERS) --no-deps --no-build-isolation -e .
	@touch $@

# Rewrites the pinned, hashed requirements from the bounds in pyproject.toml.
lock: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip-tools>=7.4,<8"
	$(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --extra dev -o requirements/dev.txt pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --extra dev --extra bench -o requirements/bench.txt pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --generate-hashes --unsafe-package torch --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --constraint requirements/dev.txt --extra lm --extra lm-tests -o requirements/lm.txt pyproject.toml
	$(BIN)/pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --constraint requirements/dev.txt --extra docs -o requirements/docs.txt pyproject.toml
	$(BIN)/python scripts/only_new_pins.py requirements/docs.txt requirements/dev.txt
	$(BIN)/python scripts/only_new_pins.py requirements/lm.txt requirements/dev.txt requirements/torch.txt requirements/torch-cuda.txt

clean:
	rm -rf $(VENV) .coverage site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
