"""nbgrader looks here when it starts in this folder; the settings live with the autograder."""
load_subconfig("autograder/nbgrader_config.py")
