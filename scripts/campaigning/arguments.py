# tocuda, Apache-2.0.
"""The command line of scripts/campaign."""

import argparse
from pathlib import Path

from campaigning import archive
from campaigning.asked import Asked

EXITS = (
    "Exit codes: 0 everything is done, 1 a step failed (it is recorded), 2 usage error, 4 the build failed, "
    "5 stopped before the end."
)


def parser_of(doc):
    parser = argparse.ArgumentParser(
        prog="scripts/campaign", description=doc, epilog=EXITS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="prepare|run|status|keep")
    prepare = verbs.add_parser("prepare", help="collect everything the machine needs in a new folder; needs a network")
    prepare.add_argument("folder", type=Path, metavar="FOLDER")
    prepare.add_argument(
        "--system",
        default="ubuntu-24.04",
        choices=["ubuntu-24.04", "debian-12"],
        help="the machine's system (ubuntu-24.04)",
    )
    prepare.add_argument(
        "--mirror",
        default="",
        metavar="URL",
        help="mirror of that system's packages (default: this system's own, otherwise debootstrap's)",
    )
    prepare.add_argument(
        "--peer",
        action="append",
        default=[],
        metavar="NAME=DIR_OR_GIT_URL",
        help="sources of a peer: nvbandwidth, babelstream (from their public repositories), or a folder with a "
        "recipe.json",
    )
    run = verbs.add_parser("run", help="run all steps on the machine; started again, it continues", epilog=EXITS)
    run.add_argument("folder", type=Path, metavar="FOLDER")
    run.add_argument("out", type=Path, metavar="OUT")
    run.add_argument("--simulate", default="", metavar="SPEC", help="rehearse on simulated GPUs: 1xH200")
    run.add_argument(
        "--minutes",
        type=positive,
        default=9.0,
        metavar="M",
        help="time limit of this run (9); measurements within ten minutes of the last one belong to the same session, "
        "even across restarts",
    )
    run.add_argument(
        "--part",
        action="append",
        type=int,
        choices=[1, 2, 3],
        default=[],
        dest="parts",
        help="run only this part; may be repeated",
    )
    run.add_argument(
        "--limit", action="append", type=limit, default=[], metavar="STEP=SECONDS", help="change a step's time limit"
    )
    run.add_argument("--sizes", type=sizes, default=None, help="sizes measured in part 2 (1GiB,4GiB)")
    run.add_argument("--link-size", default=None, help="size of the transfers in part 1 (256MiB)")
    run.add_argument(
        "--largest", type=int, default=archive.LARGEST, metavar="BYTES", help="limit of the archive's size (15 MiB)"
    )
    run.add_argument(
        "--devices",
        default="/dev/nvidia[0-9]*",
        metavar="GLOB",
        help="device files to hold open meanwhile, so that no GPU is reinitialised",
    )
    for verb, words in (
        ("status", "show in ten lines what was done, the results and what to do next"),
        ("keep", "copy what was recorded to results/"),
    ):
        one = verbs.add_parser(verb, help=words)
        one.add_argument("place", type=Path, metavar="OUT", help="the folder of results, or an archive")
    return parser


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
    found = parser_of(doc).parse_args(words)
    if found.verb != "run":
        return found
    smaller = bool(found.simulate)  # simulated GPU memory is this machine's memory
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
