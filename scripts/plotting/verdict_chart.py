# tocuda, Apache-2.0.
"""Verdict matrices: claims against runs, and claims against the variants of a family. Each colour also has a sign."""

import matplotlib.patches

import style
from sheet import Sheet

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


def draw_cell(axes, column, row, claim, unexpected, reach=0.43):
    verdict = claim["verdict"]
    colour, sign = LOOKS[verdict]
    frame = {"edgecolor": style.GREY, "linewidth": 0.6}
    if unexpected:
        frame = {"edgecolor": "#c00000", "linewidth": 2.6, "zorder": 3}
        sign = f"{sign} ({LOOKS.get(claim['expected'], ('', '?'))[1]})"
    cell = matplotlib.patches.Rectangle((column - 0.45, row - reach), 0.9, 2 * reach, facecolor=colour, **frame)
    axes.add_patch(cell)
    how = {"color": "white" if verdict == "broken" else "black", "weight": "bold" if unexpected else "normal"}
    axes.text(column, row, sign, ha="center", va="center", size=style.SMALL, zorder=4, **how)


def bare(axes, columns, rows):
    axes.set_xlim(-0.6, columns - 0.4)
    axes.set_ylim(rows - 0.4, -0.6)
    axes.grid(False)
    axes.tick_params(length=0, labelsize=style.SMALL)
    axes.spines[:].set_visible(False)
    axes.xaxis.tick_top()


def counted(claims):
    verdicts = [claim["verdict"] for claim in claims]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in LOOKS if word in verdicts)
    unexpected = sum(claim["unexpected_rows"] > 0 for claim in claims)
    return f"{len(claims)} claims: {counts}; {unexpected} with an unexpected row."


def overview(source, claims, name):
    """Every claim of one run, one row per document: '002-06' is claim 06 of document 002."""
    documents = {}
    for claim in claims:
        documents.setdefault(claim["id"].partition("-")[0], []).append(claim)
    widest = max(len(of_document) for of_document in documents.values())
    text = [source.facts(), counted(claims), LEGEND]
    height, width = 0.55 + 0.62 * len(documents), max(9.0, 0.5 * widest + 1.2)
    page = Sheet(name, "every claim and its verdict", text, source.simulated, height, width=width)
    axes = page.panels[0]
    for row, of_document in enumerate(documents.values()):
        for column, claim in enumerate(of_document):
            draw_cell(axes, column, row, claim, claim["unexpected_rows"] > 0, 0.28)
            number = claim["id"].partition("-")[2] or claim["id"]
            axes.text(column, row + 0.33, number, ha="center", va="top", size=8, color="#444444")
    bare(axes, widest, len(documents))
    axes.set_ylim(len(documents) - 0.3, -0.5)
    axes.set_xticks([])
    axes.set_yticks(range(len(documents)), list(documents))
    columns = ("verdict", "expected", "unexpected_rows")
    about = {"run": source.run, "device": source.device}
    page.table = [{**about, "claim": claim["id"], **{key: claim[key] for key in columns}} for claim in claims]
    return page


def variant_of(row):
    return row["name"], row["variant"], row["device"]


def matrix(source, columns, name, title):
    """The claims of one family against its variants: (scenario, variant, device)."""
    seen = [(row, claim) for row in source.scenarios if variant_of(row) in columns for claim in row["claims"]]
    claims = sorted({claim["id"] for _, claim in seen})
    brackets = f"In brackets above a column: the device, if not {source.device}; none = it needs no GPU."
    height, width = CELL * len(claims) + 3.2, max(9.0, 0.42 * len(columns) + 2.2)
    page = Sheet(name, title, [source.facts(), LEGEND, brackets], source.simulated, height, width=width)
    axes = page.panels[0]
    for row, claim in seen:
        draw_cell(axes, columns.index(variant_of(row)), claims.index(claim["id"]), claim, claim["unexpected"])
    bare(axes, len(columns), len(claims))
    for at, (before, after) in enumerate(zip(columns, columns[1:])):
        if before[0] != after[0]:  # a line between the variants of one scenario and those of the next
            axes.axvline(at + 0.5, color="#bbbbbb", linewidth=1, zorder=0)
    axes.set_yticks(range(len(claims)), claims)
    labels = [
        f"{scenario.split('/', 1)[-1]}: {variant}" + (f" ({device})" if device != source.device else "")
        for scenario, variant, device in columns
    ]
    axes.set_xticks(range(len(columns)), labels, rotation=60, ha="left", rotation_mode="anchor")
    page.table = [
        {
            "run": source.run,
            "claim": claim["id"],
            **dict(zip(("scenario", "variant", "device"), variant_of(row))),
            **{key: claim[key] for key in ("verdict", "expected", "unexpected")},
        }
        for row, claim in seen
    ]
    return page


def side_by_side(sources, names, claims, name, title):
    """Claims against runs. Claims with different verdicts are bold."""
    columns = [(source, {claim["id"]: claim for claim in source.claims}) for source in sources]
    text = [*(source.facts() for source in sources), LEGEND, "Bold: the runs differ."]
    simulated = any(source.simulated for source in sources)
    height, width = CELL * len(claims) + 2.0, max(9.0, 0.9 * len(columns) + 2.2)
    page = Sheet(name, title, text, simulated, height, width=width)
    axes = page.panels[0]
    bare(axes, max(len(columns), FEWEST_COLUMNS), len(claims))
    axes.set_yticks(range(len(claims)), claims)
    for row, claim in enumerate(claims):
        found = [(column, source, judged[claim]) for column, (source, judged) in enumerate(columns) if claim in judged]
        for column, source, total in found:
            draw_cell(axes, column, row, total, total["unexpected_rows"] > 0)
            about = {"claim": claim, "run": source.run, "driver": source.driver, "device": source.device}
            page.table.append({**about, "verdict": total["verdict"], "expected": total["expected"]})
        if len({total["verdict"] for _, _, total in found}) > 1:
            axes.get_yticklabels()[row].set_fontweight("bold")
    labels = [names[id(source)] for source in sources]
    axes.set_xticks(range(len(columns)), labels, rotation=30, ha="left", rotation_mode="anchor")
    return page
