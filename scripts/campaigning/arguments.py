# tocuda, Apache-2.0.
"""The command line of scripts/campaign."""

import argparse
from pathlib import Path

from campaigning import archive
from campaigning.asked import Asked

EXITS = (
    "Exit codes: 0 all is done, 1 something failed and is recorded, 2 usage, 4 nothing could be built, "
    "5 stopped before the end."
)


def parser_of(doc):
    parser = argparse.ArgumentParser(
        prog="scripts/campaign", description=doc, epilog=EXITS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="prepare|run|status|keep")
    prepare = verbs.add_parser("prepare", help="everything that travels, into a new folder; needs a network")
    prepare.add_argument("folder", type=Path, metavar="FOLDER")
    prepare.add_argument(
        "--system", default="ubuntu-24.04", choices=["ubuntu-24.04", "debian-12"], help="of the machine (ubuntu-24.04)"
    )
    prepare.add_argument(
        "--mirror",
        default="",
        metavar="URL",
        help="where that system's packages are (this system's own, else debootstrap's)",
    )
    prepare.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=DIR_OR_GIT_URL",
        help="a peer's sources: nvbandwidth, babelstream (from their public repositories), or a folder with a recipe.json",
    )
    run = verbs.add_parser("run", help="all of it, on the machine; started again, it goes on", epilog=EXITS)
    run.add_argument("folder", type=Path, metavar="FOLDER")
    run.add_argument("out", type=Path, metavar="OUT")
    run.add_argument("--simulate", default="", metavar="SPEC", help="rehearse on simulated GPUs: 1xH200")
    run.add_argument(
        "--minutes",
        type=positive,
        default=9.0,
        metavar="M",
        help="for this start (9). What is measured within ten minutes of the last is one session, however often it is "
        "started",
    )
    run.add_argument(
        "--part",
        action="append",
        type=int,
        choices=[1, 2, 3],
        default=[],
        dest="parts",
        help="only this one; may be repeated",
    )
    run.add_argument(
        "--limit", action="append", type=limit, default=[], metavar="STEP=SECONDS", help="another limit for a step"
    )
    run.add_argument("--sizes", type=sizes, default=None, help="of what is measured in part 2 (1GiB,4GiB)")
    run.add_argument("--link-size", default=None, help="of what crosses the link in part 1 (256MiB)")
    run.add_argument("--largest", type=int, default=archive.LARGEST, metavar="BYTES", help="of the archive (15 MiB)")
    run.add_argument(
        "--devices",
        default="/dev/nvidia[0-9]*",
        metavar="GLOB",
        help="what is held open while it runs, so that no GPU is started anew",
    )
    for verb, words in (
        ("status", "ten lines: what was done, what came out, what to do next"),
        ("keep", "what was recorded, into results/"),
    ):
        one = verbs.add_parser(verb, help=words)
        one.add_argument("place", type=Path, metavar="OUT", help="the folder of results, or an archive")
    return parser


def positive(text):
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("more than nothing is needed")
    return number


def limit(text):
    name, _, seconds = text.partition("=")
    if not name:
        raise argparse.ArgumentTypeError("STEP=SECONDS")
    return name, positive(seconds)


def sizes(text):
    return [size for size in text.split(",") if size]


def asked_for(words, doc):
    found = parser_of(doc).parse_args(words)
    if found.verb != "run":
        return found
    smaller = bool(found.simulate)  # a simulated GPU's memory is this machine's
    return Asked(
        "run",
        found.folder,
        found.out,
        found.simulate,
        found.minutes,
        found.parts,
        dict(found.limit),
        found.sizes or (["16MiB", "64MiB"] if smaller else ["1GiB", "4GiB"]),
        found.link_size or ("64MiB" if smaller else "256MiB"),
        found.largest,
        found.devices,
    )
