"""Sliders over the models; a plain picture where widgets do not run."""
