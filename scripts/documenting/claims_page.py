# tocuda, Apache-2.0.
"""Writes docs/claims.md: every claim with the words of those who make it, its verdict without a GPU, and its scenarios;
the claims of the five documents and those of today apart."""

import pathlib
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

VERDICTS = {
    "reproduced": "true",
    "refuted": "false",
    "partial": "partly",
    "inconclusive": "open",
    "skipped": "skipped",
    "broken": "broken",
}
PLACES = {"none": "CPU", "simulated": "simulated GPU", "real": "GPU"}
HEAD = """<!-- Written by scripts/document from a run. Do not edit. -->
# Every claim, with its verdict without a GPU

Seen with LibTorch {libtorch} on a machine without a GPU: on simulated GPUs ({simulated} unless a variant
says otherwise), with fake drivers, and on the CPU alone. Nothing here was seen on a real GPU.

Of {documents}.
Of {today}.
[How verdicts are reached](verdicts.md) explains these words. `scripts/tocuda show 002-06`
prints what a claim's scenarios observe and what decides.

The first lines of a claim are the words of [its document](documents.md), the last line is the claim as
`tocuda run` prints it. Ids with an E are about a document's code examples; a b
marks the second statement of a sentence.
"""
HEAD_OF_TODAY = """## Claims of today

What people say in issues and pull requests, in their words, with the place and the date. The last line is the claim as
`tocuda run` prints it; the verdict is on the words.
"""
TABLE = "| id | claim | verdict | what was seen | where | scenarios |\n|---|---|---|---|---|---|"


def quotes(text):
    """The document's words for each claim, from scenarios/claims.txt."""
    lines = [line.split(" ", 2) for line in text.splitlines() if line and not line.startswith("#")]
    return {words[0]: words[2] for words in lines}


def said_today(text):
    """(where, when, words) for each claim, from scenarios/claims_of_today.txt."""
    lines = [line.split(" ", 4) for line in text.splitlines() if line and not line.startswith("#")]
    return {words[0]: tuple(words[2:]) for words in lines}


def is_of_today(claim):
    return claim.startswith("T-")


def file_of(scenario):
    return next(name for name in (f"scenarios/{scenario}.py", f"scenarios/{scenario}.cpp") if (ROOT / name).exists())


def place_of(row):
    if any(fake.startswith("driver ") for fake in row.get("stand_in", [])):
        return "fake driver"
    return PLACES[row["device"]]


def places_of(claim, rows):
    """Where the claim was decided, over all of its variants."""
    decided = ("reproduced", "refuted", "partial")
    return sorted(
        {place_of(row) for row in rows for one in row["claims"] if one["id"] == claim and one["verdict"] in decided}
    )


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def link_of(where):
    """A link to an issue or a pull request, from owner/name#number. Its address is the same for both."""
    return f"[{where}](https://github.com/{where.replace('#', '/issues/')})"


def words_of_today(said):
    where, when, words = said
    return f"“{cell(words)}”<br>{link_of(where)}, {when}<br>"


def words_of_document(quote):
    return f"“{cell(quote)}”<br>" if quote else ""


def claim_row(claim, said, rows, scenarios):
    links = "<br>".join(f"[{name}](../{file_of(name)})" for name in scenarios)
    places = ", ".join(places_of(claim["id"], rows)) or "-"
    return (
        f"| {claim['id']} | {said}{cell(claim['statement'])} | {VERDICTS[claim['verdict']]} | {cell(claim['because'])} "
        f"| {places} | {links} |"
    )


def counted(claims, what):
    totals = Counter(claim["verdict"] for claim in claims)
    return f"{len(claims)} {what}: " + ", ".join(
        f"{totals[word]} {VERDICTS[word]}" for word in VERDICTS if totals[word]
    )


def table(claims, words, rows, where):
    """The rows of a table; `words` is a function from a claim's id to what stands before its statement."""
    ordered = sorted(claims, key=lambda one: one["id"])
    return [TABLE, *(claim_row(claim, words(claim["id"]), rows, sorted(where[claim["id"]])) for claim in ordered), ""]


def documents_part(claims, sources, rows, where, ledger):
    quoted, page = quotes(ledger), []
    for source in dict.fromkeys(sources[claim] for claim in sorted(sources) if not is_of_today(claim)):
        page.append(f"## {source[0].upper()}{source[1:]}\n")
        of_source = [claim for claim in claims if sources[claim["id"]] == source]
        page += table(of_source, lambda claim: words_of_document(quoted.get(claim)), rows, where)
    return page


def today_part(claims, rows, where, ledger):
    said = said_today(ledger)
    return [HEAD_OF_TODAY, *table(claims, lambda claim: words_of_today(said[claim]), rows, where)]


def written(listed, judged, rows, ledger, ledger_of_today):
    """The page, from the documents of `list --json` and `judge --json`, the rows of the file that was judged, and the
    texts of scenarios/claims.txt and scenarios/claims_of_today.txt."""
    sources, where = {}, {}
    for scenario in listed["scenarios"]:
        for claim in scenario["claims"]:
            sources.setdefault(claim["id"], claim["source"])
            where.setdefault(claim["id"], []).append(scenario["name"])
    runtimes = [fake for row in rows for fake in row.get("stand_in", []) if fake.startswith("runtime ")]
    today = [claim for claim in judged["claims"] if is_of_today(claim["id"])]
    others = [claim for claim in judged["claims"] if not is_of_today(claim["id"])]
    head = HEAD.format(
        libtorch=judged["about"]["libtorch"]["version"],
        simulated=max(sorted(set(runtimes)), key=runtimes.count).removeprefix("runtime "),
        documents=counted(others, "claims of documents and the field"),
        today=counted(today, "claims of today"),
    )
    parts = [
        head,
        *documents_part(others, sources, rows, where, ledger),
        *today_part(today, rows, where, ledger_of_today),
    ]
    return "\n".join(parts).rstrip() + "\n"
