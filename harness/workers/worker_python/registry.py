# tocuda, Apache-2.0.
"""Loads the scenarios of a folder: each file is one; its folder names the family and its stem the scenario. A .txt file
is an example of a document."""

import importlib.util
from dataclasses import dataclass
from typing import Callable

from worker_python.example import read_example
from worker_python.scenario import Scenario


@dataclass(frozen=True)
class Entry:
    name: str
    scenario: Scenario
    observe: Callable
    judge: Callable


def _load(path):
    name = f"{path.parent.name}/{path.stem}"
    spec = importlib.util.spec_from_file_location(f"scenario_{path.parent.name}_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Entry(name, module.SCENARIO, module.observe, module.judge)


def _example(path):
    scenario, observe = read_example(path)
    return Entry(f"{path.parent.name}/{path.stem}", scenario, observe, lambda evidence, say: None)


def load_registry(folder):
    """Returns name -> entry, sorted by name."""
    entries = [_load(path) for path in folder.glob("*/*.py") if not path.stem.endswith("_test")]
    entries += [_example(path) for path in folder.glob("documents/*.txt")]
    return {entry.name: entry for entry in sorted(entries, key=lambda entry: entry.name)}
