# tocuda, Apache-2.0.
"""The command line of scripts/campaign."""

import argparse
from pathlib import Path

EXITS = (
    "Exit codes: 0 everything is done that the time allows, 1 a step failed (it is recorded), 2 usage error, 4 the "
    "build failed, 5 there is more to do: start again."
)


def parser_of(doc):
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="scripts/campaign", description=doc, epilog=EXITS, formatter_class=raw)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="prepare|run|status|keep")
    prepare = verbs.add_parser("prepare", help="collect everything the machine needs in a new folder; needs a network")
    prepare.add_argument("folder", type=Path, metavar="FOLDER")
    sources = "apt sources of the machine's distribution, if it is an older one than this system's"
    prepare.add_argument("--apt-sources", type=Path, metavar="FILE", help=sources)
    prepare.add_argument("--architecture", choices=["amd64", "arm64"], help="the machine's, if it is not this one's")
    peer = "where to get nvbandwidth or babelstream (their public repositories); nothing: without it"
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
    add("--forecast", "print which step takes how long, in which command, and which are dropped", action="store_true")
    add("--simulate", "rehearse on simulated GPUs: 1xH200", default="", metavar="SPEC")
    add("--minutes", "time limit of each command (9)", type=positive, default=9.0, metavar="M")
    add("--total", "time limit of all commands together (28)", type=positive, default=28.0, metavar="M")
    add("--cores", "as if the machine had so many (its own)", type=positive, metavar="N")
    add("--only", "run only this step; may be repeated", action="append", default=[], metavar="STEP")
    devices = "device files to hold open meanwhile, so that no GPU is reinitialised"
    add("--devices", devices, default="/dev/nvidia[0-9]*", metavar="GLOB")


def positive(text):
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("must be greater than zero")
    return int(number) if number.is_integer() else number


def asked_for(words, doc):
    return parser_of(doc).parse_args(words)
