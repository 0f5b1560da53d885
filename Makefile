# make lab     work through the notebooks in JupyterLab
# make demo    build, release, collect, grade and report sample submissions, and compare scores
# make test    lint and the whole test suite
# make build   solutions/NN_name.py -> notebooks/NN_name/NN_name.ipynb
# make check   is what is committed in notebooks/ what the text sources build?
# make gpu     tests that need a GPU: any Python with torch, triton, numpy and pytest
# make bench   reference kernels against their peers, on a GPU
#
# PYTHON=python3.12 picks another Python.  .venv is set up, and set up again when the pinned
# versions change, by whichever of these needs it.

PYTHON ?= python3
PY := .venv/bin/python
READY := .venv/ready
# gpu and bench take the Python that was asked for, else .venv's if there is one, else python3.
ANY := $(if $(filter file,$(origin PYTHON)),$(or $(wildcard $(PY)),$(PYTHON)),$(PYTHON))
LAB_FLAGS ?=
TESTS ?= tests

.PHONY: lab demo test build check gpu bench
.DEFAULT_GOAL := lab

lab: $(READY)
	@echo "lab: opening JupyterLab on notebooks/ (stop it with Ctrl-C)"
	@PATH="$(CURDIR)/.venv/bin:$$PATH" $(PY) -m jupyterlab --ServerApp.root_dir="$(CURDIR)" \
		--LabApp.default_url=/lab/tree/notebooks $(LAB_FLAGS)

demo: $(READY)
	@echo "demo: from text source to gradebook, with sample submissions (about 2 minutes)"
	@$(PY) -m autograder.demo

test: $(READY)
	@echo "test: ruff"
	@$(PY) -m ruff check .
	@echo "test: pytest on $(TESTS) (some minutes)"
	@$(PY) -m pytest -n 2 $(TESTS) --ignore=tests/gpu

build: $(READY)
	@echo "build: solutions/ -> notebooks/"
	@$(PY) -m autograder.build

check: $(READY)
	@echo "check: building elsewhere and comparing with notebooks/"
	@$(PY) -m autograder.build --check

gpu:
	@echo "gpu: tests that need a GPU, with $(ANY)"
	@$(ANY) -m pytest tests/gpu -q

bench:
	@echo "bench: reference kernels against their peers, with $(ANY)"
	@$(ANY) -m benchmarks.run

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) autograder/venv.py .venv
