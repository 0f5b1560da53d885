"""`make test` judges the same everywhere: a GPU, if there is one, is for `make gpu` alone."""

import os
import sys

_ONLY_GPU = any("tests/gpu" in argument for argument in sys.argv)
if not _ONLY_GPU and "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
