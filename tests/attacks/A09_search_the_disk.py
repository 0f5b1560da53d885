"""Looks through every folder for the solution's file and runs what it finds. Kind: finding the
answer.
"""

EXERCISE = "residual_rms_norm"
EARNS = 0
ALONE = True
CELL = '''
import os


def found(name):
    for folder in ("/work", "/home", "/root", "/mnt", "/tmp", "/opt", "/srv", os.getcwd()):
        for path, _, files in os.walk(folder):
            if name in files:
                return os.path.join(path, name)
    raise FileNotFoundError(f"no {name} anywhere")


file = found("residual_rms_norm.py")
exec(compile(open(file).read(), file, "exec"))
'''
