# tocuda, Apache-2.0.
# Prints the folder of this Python's torch if the build can use it (exit 0); otherwise the reason why not, or nothing if
# there is no torch (exit 1). Does not import torch, because that takes seconds and 650 MB.
import importlib.util
import pathlib
import runpy
import sys


def examine(wanted):
    found = importlib.util.find_spec("torch")
    if found is None or not found.origin:
        return None, ""
    folder = pathlib.Path(found.origin).parent
    try:
        facts = runpy.run_path(str(folder / "version.py"))
        version = facts["__version__"].split("+")[0]
        numbers = tuple(int(part) for part in version.split(".")[:2])
    except (OSError, KeyError, ValueError) as error:
        return None, f"cannot read the version of the installed one in {folder} ({error})"
    if wanted and version != wanted:
        return None, f"the installed one is {version}, not {wanted}"
    if not (2, 11) <= numbers <= (2, 15):
        return None, f"the installed one is {version}; supported are 2.11 to 2.15"
    if not (facts.get("cuda") or "").startswith("13.") or not (folder / "lib" / "libtorch_cuda.so").exists():
        return None, f"the installed one is built for {facts.get('cuda') or 'no CUDA'}; supported is CUDA 13"
    return folder, ""


folder, reason = examine(sys.argv[1] if len(sys.argv) > 1 else "")
print(folder or reason)
sys.exit(0 if folder else 1)
