# tocuda, Apache-2.0.
"""The package torch that this was built for. Its version is read without importing it, which would take seconds."""

import platform
import runpy
import sys


def built_with(folder):
    facts = {"python": platform.python_version()}
    try:
        facts["libtorch"] = runpy.run_path(str(folder / "torch" / "version.py"))["__version__"].partition("+")[0]
    except (OSError, KeyError, SyntaxError):
        pass
    return facts


def gpu_answered():
    """A GPU can have answered only if a scenario imported torch."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_available()
