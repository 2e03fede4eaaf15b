# tocuda, Apache-2.0.
"""The command line of scripts/campaign."""

import argparse
from pathlib import Path

from campaigning import archive

EXITS = (
    "Exit codes: 0 everything is done, 1 a step failed (it is recorded), 2 usage error, 4 the build failed, "
    "5 stopped before the end."
)


def parser_of(doc):
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="scripts/campaign", description=doc, epilog=EXITS, formatter_class=raw)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="prepare|run|status|keep")
    prepare = verbs.add_parser("prepare", help="collect everything the machine needs in a new folder; needs a network")
    prepare.add_argument("folder", type=Path, metavar="FOLDER")
    systems = ["ubuntu-24.04", "debian-12"]
    prepare.add_argument("--system", default=systems[0], choices=systems, help="the machine's system (ubuntu-24.04)")
    mirror = "mirror of that system's packages (default: this system's own, otherwise debootstrap's)"
    prepare.add_argument("--mirror", default="", metavar="URL", help=mirror)
    peer = (
        "sources of a peer: nvbandwidth, babelstream (from their public repositories), or a folder with a recipe.json"
    )
    prepare.add_argument("--peer", action="append", default=[], metavar="NAME=DIR_OR_GIT_URL", help=peer)
    add_run(verbs.add_parser("run", help="run all steps on the machine; started again, it continues", epilog=EXITS))
    for verb, words in (
        ("status", "show in ten lines what was done, the results and what to do next"),
        ("keep", "copy what was recorded to results/"),
    ):
        one = verbs.add_parser(verb, help=words)
        one.add_argument("place", type=Path, metavar="OUT", help="the folder of results, or an archive")
    return parser


def add_run(run):
    def add(option, about, **how):
        run.add_argument(option, help=about, **how)

    run.add_argument("folder", type=Path, metavar="FOLDER")
    run.add_argument("out", type=Path, metavar="OUT")
    add("--simulate", "rehearse on simulated GPUs: 1xH200", default="", metavar="SPEC")
    minutes = (
        "time limit of this run (9); measurements within ten minutes of the last one belong to the same session, even "
        "across restarts"
    )
    add("--minutes", minutes, type=positive, default=9.0, metavar="M")
    several = {"action": "append", "default": []}
    add("--part", "run only this part; may be repeated", type=int, choices=[1, 2, 3], dest="parts", **several)
    add("--limit", "change a step's time limit", type=limit, metavar="STEP=SECONDS", dest="limits", **several)
    add("--sizes", "sizes measured in part 2 (1GiB,4GiB)", type=sizes)
    add("--link-size", "size of the transfers in part 1 (256MiB)")
    add("--largest", "limit of the archive's size (15 MiB)", type=int, default=archive.LARGEST, metavar="BYTES")
    devices = "device files to hold open meanwhile, so that no GPU is reinitialised"
    add("--devices", devices, default="/dev/nvidia[0-9]*", metavar="GLOB")


def positive(text):
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("must be greater than zero")
    return number


def limit(text):
    name, _, seconds = text.partition("=")
    if not name:
        raise argparse.ArgumentTypeError("expected STEP=SECONDS")
    return name, positive(seconds)


def sizes(text):
    return [size for size in text.split(",") if size]


def asked_for(words, doc):
    asked = parser_of(doc).parse_args(words)
    if asked.verb == "run":
        asked.limits = dict(asked.limits)
        smaller = bool(asked.simulate)  # simulated GPU memory is this machine's memory
        asked.sizes = asked.sizes or (["16MiB", "64MiB"] if smaller else ["1GiB", "4GiB"])
        asked.link_size = asked.link_size or ("64MiB" if smaller else "256MiB")
    return asked
