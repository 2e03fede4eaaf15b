# tocuda, Apache-2.0.
"""Runs tests of PyTorch's own test files. Started on simulated GPUs with the file and, to list its tests, --list. Reads
names from standard input, one per line, and writes a JSON line for each on descriptor 3."""

import importlib
import json
import sys
import unittest
from pathlib import Path


def tests_in(module):
    """By name. Not by the loader's own look-up, which would call PyTorch's load_tests with its sharding."""
    classes = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, unittest.TestCase)]
    loaded = (
        unittest.defaultTestLoader.loadTestsFromTestCase(one) for one in classes if one.__module__ == module.__name__
    )
    return {f"{type(test).__name__}.{test._testMethodName}": test for suite in loaded for test in suite}


def outcome_of(test):
    result = unittest.TestResult()
    test(result)
    if result.errors or result.failures or result.unexpectedSuccesses:
        texts = [text for _, text in result.errors + result.failures] or ["passes though it is expected to fail"]
        # The line that names the exception, rather than the last of its text.
        named = [line for line in texts[0].splitlines() if line and not line[0].isspace() and "rror" in line]
        return {"what": "failed", "why": (named or texts[0].strip().splitlines()[-1:])[-1][:150]}
    if result.skipped:
        return {"what": "skipped", "why": result.skipped[0][1][:150]}
    return {"what": "passed"}


def main():
    file = Path(sys.argv[1])
    sys.path.insert(0, str(file.parent))
    listing = sys.argv[2:] == ["--list"]
    sys.argv[1:] = []
    module = importlib.import_module(file.stem)
    known = tests_in(module)
    if listing:
        print("\n".join(known))
        return
    out = open(3, "w", buffering=1)
    for line in sys.stdin:
        print(json.dumps(outcome_of(known[line.strip()])), file=out)


if __name__ == "__main__":
    main()
