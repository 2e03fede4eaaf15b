# tocuda, Apache-2.0.
"""What the workers hold, as they describe themselves: `tocuda list` reads it where they are not built yet."""

import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "harness/supervisor/request/descriptions"
SUFFIX = ".describe.jsonl"


def described(folder):
    """Yields the file's name and what it should hold for each worker in a build folder. What a worker was built with
    is left out, because it differs."""
    for file in sorted(pathlib.Path(folder).glob("tocuda-*" + SUFFIX)):
        if not file.with_name(file.name.removesuffix(SUFFIX)).exists():
            continue
        head, *rest = file.read_text().splitlines()
        head = {**json.loads(head), "built_with": {}}
        yield file.name, "\n".join([json.dumps(head, separators=(",", ":")), *rest]) + "\n"


def write(folder):
    FOLDER.mkdir(exist_ok=True)
    for name, text in described(folder):
        (FOLDER / name).write_text(text)
