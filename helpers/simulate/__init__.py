"""The models the notebooks play with: plain Python, no GPU."""
