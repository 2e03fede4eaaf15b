# tocuda, Apache-2.0.
"""The command `tocuda` of a wheel: starts the program beside this file, with the torch of this Python."""

import os
import sys
from pathlib import Path


def main():
    os.environ.setdefault("TOCUDA_PYTHON", sys.executable)
    program = Path(__file__).with_name("tocuda")
    os.execv(program, [program, *sys.argv[1:]])
