# tocuda, Apache-2.0.
"""The command line of scripts/plot."""

import argparse
import difflib
import pathlib

from units import size_of

FORMATS = ("svg", "png", "pdf")
USUAL = ["svg", "png"]
EXAMPLES = """examples:
  scripts/plot results/local -o pictures
  scripts/plot old.jsonl new.jsonl -o pictures --format svg --csv
"""


class Usage(Exception):
    """A usage error, in one line."""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise Usage(f"plot: {message} (plot --help)")


def formats(text):
    words = [word.strip().lower() for word in text.split(",") if word.strip()]
    for word in words:
        if word not in FORMATS:
            near = difflib.get_close_matches(word, FORMATS, 1, 0.3)
            raise argparse.ArgumentTypeError(f"unknown format '{word}': {near[0] + '?' if near else 'png, svg or pdf'}")
    return list(dict.fromkeys(words)) or USUAL


def size(text):
    value = size_of(text)
    if value is None:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size like 4096, 64KiB or 1GiB")
    return value


def parser():
    about = "Draws result files: one picture for each question that they answer, and an index.html of all."
    raw = argparse.RawDescriptionHelpFormatter
    made = Parser(prog="plot", description=about, epilog=EXAMPLES, formatter_class=raw, allow_abbrev=False)
    files = "a result file, a folder of them, or a document of judge, bench, run or compare"
    made.add_argument("files", metavar="FILE", nargs="+", help=files)
    folder = {"dest": "folder", "metavar": "FOLDER", "type": pathlib.Path, "required": True}
    made.add_argument("-o", "--output", help="folder for the pictures", **folder)
    chosen = {"dest": "formats", "type": formats, "default": USUAL, "metavar": "LIST"}
    made.add_argument("--format", help="any of svg,png,pdf (svg,png)", **chosen)
    made.add_argument("--csv", action="store_true", help="also write each picture's numbers as a table")
    at = "size at which mechanisms are compared (the one that most have)"
    made.add_argument("--bytes", type=size, metavar="SIZE", help=at)
    return made


def parse(words):
    made = parser()
    wanted, unknown = made.parse_known_args(words)
    if unknown:
        options = [option for action in made._actions for option in action.option_strings]
        near = difflib.get_close_matches(unknown[0].split("=")[0], options, 1, 0.5)
        raise Usage(f"plot: unknown option '{unknown[0]}'" + (f": {near[0]}?" if near else " (plot --help)"))
    return wanted
