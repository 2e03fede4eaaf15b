# tocuda, Apache-2.0.
# Looks for a torch in this Python that can be used: any supported one, or the version in the first argument ("2.15.0"
# or "2.15"). Prints its folder, its version, the path of this Python and the folder of torch's CUDA runtime, a line
# each (exit 0); otherwise the reason why not, or nothing if there is no torch (exit 1). Does not import torch,
# because that takes seconds and 650 MB.
import importlib.util
import pathlib
import runpy
import sys


def examine(wanted):
    found = importlib.util.find_spec("torch")
    if found is None or not found.origin:
        return ""
    folder = pathlib.Path(found.origin).parent
    try:
        facts = runpy.run_path(str(folder / "version.py"))
        version = facts["__version__"].split("+")[0]
        numbers = tuple(int(part) for part in version.split(".")[:2])
    except (OSError, KeyError, ValueError) as error:
        return f"cannot read the version of the installed one in {folder} ({error})"
    if wanted and not f"{version}.".startswith(f"{wanted}."):
        return f"the installed one is {version}, not {wanted}"
    if not (2, 11) <= numbers <= (2, 15):
        return f"the installed one is {version}; supported are 2.11 to 2.15"
    if not (facts.get("cuda") or "").startswith("13.") or not (folder / "lib" / "libtorch_cuda.so").exists():
        return f"the installed one is built for {facts.get('cuda') or 'no CUDA'}; supported is CUDA 13"
    runtimes = sorted(folder.parent.glob("nvidia/*/lib/libcudart.so.13"))
    return [folder, version, sys.executable, *(path.parent for path in runtimes[:1])]


found = examine(sys.argv[1] if len(sys.argv) > 1 else "")
print(found if isinstance(found, str) else "\n".join(map(str, found)))
sys.exit(isinstance(found, str))
