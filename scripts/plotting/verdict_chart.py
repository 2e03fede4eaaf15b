# tocuda, Apache-2.0.
"""Verdict matrices: claims against runs, and claims against the variants of a family. Each colour also has a sign."""

import matplotlib.patches

import style
from sheet import Sheet
from verdict import WORDS

LOOKS = {
    "reproduced": (style.SKY, "✓"),
    "refuted": (style.ORANGE, "✗"),
    "partial": (style.YELLOW, "~"),
    "inconclusive": ("#dddddd", "?"),
    "skipped": ("#ffffff", "–"),
    "broken": (style.BLACK, "B"),
}
LEGEND = (
    "✓ reproduced · ✗ refuted · ~ partial · ? inconclusive · – skipped · B broken. "
    "Thick frame: unexpected; the expected verdict is in brackets."
)
CELL = 0.29  # inches
FEWEST_COLUMNS = 7  # so that cells do not become wide bars


def draw_cell(axes, column, row, verdict, expected, unexpected, reach=0.43):
    colour, sign = LOOKS[verdict]
    frame = (
        {"edgecolor": "#c00000", "linewidth": 2.6, "zorder": 3}
        if unexpected
        else {"edgecolor": style.GREY, "linewidth": 0.6}
    )
    axes.add_patch(
        matplotlib.patches.Rectangle((column - 0.45, row - reach), 0.9, 2 * reach, facecolor=colour, **frame)
    )
    if unexpected:
        sign = f"{sign} ({LOOKS.get(expected, ('', '?'))[1]})"
    axes.text(
        column,
        row,
        sign,
        ha="center",
        va="center",
        size=style.SMALL,
        weight="bold" if unexpected else "normal",
        zorder=4,
        color="white" if verdict == "broken" else "black",
    )


def bare(axes, columns, rows):
    axes.set_xlim(-0.6, columns - 0.4)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.grid(False)
    axes.tick_params(length=0, labelsize=style.SMALL)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.xaxis.tick_top()


def counted(totals):
    counts = {word: sum(1 for total in totals.values() if total.verdict == word) for word in WORDS}
    unexpected = sum(1 for total in totals.values() if total.unexpected)
    return (
        f"{len(totals)} claims: "
        + ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        + f"; {unexpected} with an unexpected row"
    )


def document_of(claim):
    """Splits a claim's id: '002-06' is claim 06 of document 002."""
    head, _, tail = claim.partition("-")
    return head, tail


def overview(source, totals, name):
    """Every claim of one run, one row per document."""
    documents = {}
    for claim in totals:
        documents.setdefault(document_of(claim)[0], []).append(claim)
    widest = max(len(claims) for claims in documents.values())
    page = Sheet(
        name,
        "every claim and its verdict",
        [source.facts(), counted(totals) + ".", LEGEND],
        source.simulated,
        height=0.55 + 0.62 * len(documents),
        width=max(9.0, 0.5 * widest + 1.2),
    )
    axes = page.panels[0]
    for row, (document, claims) in enumerate(documents.items()):
        for column, claim in enumerate(claims):
            total = totals[claim]
            draw_cell(axes, column, row, total.verdict, total.expected, total.unexpected > 0, 0.28)
            axes.text(
                column, row + 0.33, document_of(claim)[1] or claim, ha="center", va="top", size=8, color="#444444"
            )
    bare(axes, widest, len(documents))
    axes.set_ylim(len(documents) - 0.3, -0.5)
    axes.set_xticks([])
    axes.set_yticks(range(len(documents)), list(documents))
    page.table = [
        {
            "run": source.run,
            "device": source.device,
            "claim": claim,
            "verdict": total.verdict,
            "expected": total.expected,
            "unexpected_rows": total.unexpected,
        }
        for claim, total in totals.items()
    ]
    return page


def column_label(scenario, variant, device, usual):
    return f"{scenario.split('/', 1)[-1]}: {variant}" + (f" ({device})" if device != usual else "")


def divide(axes, columns):
    """Draws a line between the variants of one scenario and those of the next."""
    for at, (before, after) in enumerate(zip(columns, columns[1:])):
        if before[0] != after[0]:
            axes.axvline(at + 0.5, color="#bbbbbb", linewidth=1, zorder=0)


def matrix(source, seen, name, title):
    """The claims of one family against its variants."""
    claims = sorted({one.claim for one in seen})
    columns = sorted({(one.scenario, one.variant, one.device) for one in seen})
    page = Sheet(
        name,
        title,
        [
            source.facts(),
            LEGEND,
            f"In brackets above a column: the device, if not {source.device}; none = it needs no GPU.",
        ],
        source.simulated,
        height=CELL * len(claims) + 3.2,
        width=max(9.0, 0.42 * len(columns) + 2.2),
    )
    axes = page.panels[0]
    for one in seen:
        draw_cell(
            axes,
            columns.index((one.scenario, one.variant, one.device)),
            claims.index(one.claim),
            one.verdict,
            one.expected,
            one.unexpected,
        )
    bare(axes, len(columns), len(claims))
    divide(axes, columns)
    axes.set_yticks(range(len(claims)), claims)
    axes.set_xticks(
        range(len(columns)),
        [column_label(*column, source.device) for column in columns],
        rotation=60,
        ha="left",
        rotation_mode="anchor",
    )
    page.table = [
        {
            "run": source.run,
            "claim": one.claim,
            "scenario": one.scenario,
            "variant": one.variant,
            "device": one.device,
            "verdict": one.verdict,
            "expected": one.expected,
            "unexpected": one.unexpected,
        }
        for one in seen
    ]
    return page


def side_by_side(columns, claims, name, title, simulated):
    """Claims against runs. `columns` holds (the run's name, source, its totals). Claims with different verdicts are
    bold."""
    page = Sheet(
        name,
        title,
        [*(source.facts() for _, source, _ in columns), LEGEND, "Bold: the runs differ."],
        simulated,
        height=CELL * len(claims) + 2.0,
        width=max(9.0, 0.9 * len(columns) + 2.2),
    )
    axes = page.panels[0]
    for column, (_, _, totals) in enumerate(columns):
        for row, claim in enumerate(claims):
            if claim in totals:
                draw_cell(
                    axes, column, row, totals[claim].verdict, totals[claim].expected, totals[claim].unexpected > 0
                )
    bare(axes, max(len(columns), FEWEST_COLUMNS), len(claims))
    axes.set_yticks(range(len(claims)), claims)
    for row, claim in enumerate(claims):
        if len({totals[claim].verdict for _, _, totals in columns if claim in totals}) > 1:
            axes.get_yticklabels()[row].set_fontweight("bold")
    axes.set_xticks(
        range(len(columns)), [label for label, _, _ in columns], rotation=30, ha="left", rotation_mode="anchor"
    )
    page.table = [
        {
            "claim": claim,
            "run": source.run,
            "driver": source.driver,
            "device": source.device,
            "verdict": totals[claim].verdict,
            "expected": totals[claim].expected,
        }
        for claim in claims
        for _, source, totals in columns
        if claim in totals
    ]
    return page
