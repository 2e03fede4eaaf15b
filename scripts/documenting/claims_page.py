# tocuda, Apache-2.0.
"""Writes docs/claims.md: every claim with the document's words, its verdict without a GPU, and its scenarios."""

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

{totals}.
[How verdicts are reached](verdicts.md) explains these words. `scripts/tocuda show 002-06`
prints what a claim's scenarios observe and what decides.

The first lines of a claim are the words of [its document](documents.md), the last line is the claim as
`tocuda run` prints it. Ids with an E are about a document's code examples.
"""


def quotes(text):
    """The document's words for each claim, from scenarios/claims.txt."""
    lines = [line.split(" ", 2) for line in text.splitlines() if line and not line.startswith("#")]
    return {words[0]: words[2] for words in lines}


def file_of(scenario):
    return f"scenarios/{scenario}.{'py' if scenario.startswith('python/') else 'cpp'}"


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


def claim_row(claim, quote, rows, scenarios):
    said = f"“{cell(quote)}”<br>" if quote else ""
    links = "<br>".join(f"[{name}](../{file_of(name)})" for name in scenarios)
    places = ", ".join(places_of(claim["id"], rows)) or "-"
    return (
        f"| {claim['id']} | {said}{cell(claim['statement'])} | {VERDICTS[claim['verdict']]} | {cell(claim['because'])} "
        f"| {places} | {links} |"
    )


def written(listed, judged, rows, ledger):
    """The page, from the documents of `list --json` and `judge --json`, the rows of the file that was judged, and the
    text of scenarios/claims.txt."""
    sources, where, quoted = {}, {}, quotes(ledger)
    for scenario in listed["scenarios"]:
        for claim in scenario["claims"]:
            sources.setdefault(claim["id"], claim["source"])
            where.setdefault(claim["id"], []).append(scenario["name"])
    totals = judged["totals"]
    counted = ", ".join(f"{totals[word]} {VERDICTS[word]}" for word in VERDICTS if totals[word])
    runtimes = [fake for row in rows for fake in row.get("stand_in", []) if fake.startswith("runtime ")]
    usual = max(sorted(set(runtimes)), key=runtimes.count).removeprefix("runtime ")
    page = [
        HEAD.format(
            libtorch=judged["about"]["libtorch"]["version"],
            simulated=usual,
            totals=f"Of {len(judged['claims'])} claims: {counted}",
        )
    ]
    for source in dict.fromkeys(sources[claim] for claim in sorted(sources)):
        page.append(f"## {source[0].upper()}{source[1:]}\n")
        page.append("| id | claim | verdict | what was seen | where | scenarios |\n|---|---|---|---|---|---|")
        for claim in sorted(judged["claims"], key=lambda one: one["id"]):
            if sources[claim["id"]] == source:
                page.append(claim_row(claim, quoted.get(claim["id"]), rows, sorted(where[claim["id"]])))
        page.append("")
    return "\n".join(page).rstrip() + "\n"
