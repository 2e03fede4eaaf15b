# tocuda, Apache-2.0.
"""The Python package of a wheel: the command `tocuda`, which starts the program beside this file with the torch of this
Python, and a plugin of pytest (`pytest -p tocuda`)."""

import os
import sys
from pathlib import Path

pytest_plugins = ["tocuda.pytest_plugin"]


def main():
    os.environ.setdefault("TOCUDA_PYTHON", sys.executable)
    program = Path(__file__).with_name("tocuda")
    os.execv(program, [program, *sys.argv[1:]])
