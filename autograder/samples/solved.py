"""Every exercise as in the reference."""
