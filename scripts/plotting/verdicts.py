# tocuda, Apache-2.0.
"""The pictures of runs of scenarios: every claim by LibTorch and device, and what fragments memory and what helps."""

from matrix import CELL, KEY, LOOKS, draw_matrix, label_width
from sheet import LETTER, Sheet

FEW = 12  # claims that need no second block
MOST_COLUMNS = 8


def columns_of(sources):
    """The last run of each LibTorch, device and set of GPUs."""
    last = {(source.libtorch, source.device, source.gpu): source for source in sources if source.claims}
    return list(last.values())[-MOST_COLUMNS:]


def heading(source):
    """A column in words."""
    verdicts = [claim["verdict"] for claim in source.claims]
    counts = ", ".join(f"{verdicts.count(word)} {said}" for word, (*_, said) in LOOKS.items() if word in verdicts)
    unexpected = sum(claim["unexpected_rows"] > 0 for claim in source.claims)
    version = source.libtorch or "not recorded"
    return f"LibTorch {version}, {source.device} device, {source.gpu}: {counts}; {unexpected} unexpected"


def blocks_of(things):
    size = len(things) if len(things) <= FEW else -(-len(things) // 2)
    return [things[start : start + size] for start in range(0, len(things), size)]


def said_of(columns, claims, statements):
    """The text beside the picture: each run, then each claim with what was seen."""
    yield from (f"{letter}: {source.facts(whole=True)}." for letter, source in columns.items())
    yield KEY
    for name, statement in statements.items():
        seen = [(letter, some[name]) for letter, some in claims.items() if name in some]
        yield f"{name} {statement}: " + "; ".join(f"{at} {one['verdict']}: {one['because']}" for at, one in seen)


def verdicts(sources):
    """Which claims are true, and with which LibTorch and device?"""
    columns = {chr(ord("A") + number): source for number, source in enumerate(columns_of(sources))}
    if not columns:
        return None
    claims = {letter: {claim["id"]: claim for claim in source.claims} for letter, source in columns.items()}
    statements = {name: one.get("statement") or "" for some in claims.values() for name, one in some.items()}
    statements = dict(sorted(statements.items()))
    blocks = blocks_of([f"{name}  {text}" for name, text in statements.items()])
    left, cells = label_width(sum(blocks, [])), 0.5 * len(columns)
    height = CELL * len(blocks[0]) + 0.3 + 0.2 * (len(columns) + 1) + 0.1
    about = [f"{len(statements)} claims", f"{len(columns)} runs" if len(columns) > 1 else columns["A"].facts()]
    text, simulated = list(said_of(columns, claims, statements)), any(one.simulated for one in columns.values())
    question = "Which claims about moving tensors to the GPU are true?"
    width = max(9.0, (left + cells + 0.15) * len(blocks) + 0.15)
    sheet = Sheet("verdicts", question, " · ".join(about), text, simulated, height, width=width)
    lines = [f"{letter}  {heading(source)}" for letter, source in columns.items()]
    for number, line in enumerate([KEY, *reversed(lines)]):
        sheet.text(0.12, sheet.foot + 0.2 * number + 0.05, line, size=9, va="bottom")
    for number, block in enumerate(blocks):
        place = number * (left + cells + 0.15) + left, height - 0.3 - CELL * len(block)
        axes = sheet.panel(*place, cells, CELL * len(block))
        found = {}
        for row, name in enumerate(label.split("  ")[0] for label in block):
            for column, (letter, some) in enumerate(claims.items()):
                if name in some:
                    one = some[name]
                    found[row, column] = one["verdict"], one["expected"], one["unexpected_rows"] > 0
                    sheet.table.append((letter, name, "verdict", one["verdict"], "expected", one["expected"]))
        draw_matrix(axes, block, list(columns), found)
    return sheet


def fragmentation(sources):
    """What fragments memory, and which setting of the allocator helps?"""
    source = next((one for one in reversed(sources) if any(is_about(row) for row in one.scenarios)), None)
    if not source:
        return None
    judged = [(row, claim) for row in source.scenarios if is_about(row) for claim in row["claims"]]
    settings = list(dict.fromkeys(row["variant"] for row, _ in judged))
    statements = {claim["id"]: claim.get("statement") or "" for claim in source.claims}
    # The workload's own line stands before those of its claims.
    order = sorted({(row["name"], name) for row, claim in judged for name in ("", claim["id"])})
    workloads = {name: name.split("/")[1].replace("_", " ") for name, _ in order}
    labels = [f"{claim} {statements.get(claim, '')}" if claim else workloads[name] for name, claim in order]
    headings = [setting.replace("_", "\n", 1).replace("_", " ") for setting in settings]
    left = label_width(labels)
    cell = max(0.7, max(len(line) for heading in headings for line in heading.split("\n")) * LETTER + 0.1)
    text = [source.facts(whole=True) + ".", KEY]
    question = "What fragments GPU memory, and which setting of LibTorch's allocator helps?"
    width, height = max(9.0, left + cell * len(settings) + 0.2), CELL * len(order) + 0.75
    sheet = Sheet("fragmentation", question, source.facts(), text, source.simulated, height, width=width)
    axes = sheet.panel(left, 0.3, cell * len(settings), CELL * len(order))
    sheet.text(0.12, sheet.foot + 0.05, KEY, size=9, va="bottom")
    found = {}
    for row, claim in judged:
        name, setting, verdict, expected = row["name"], row["variant"], claim["verdict"], claim["expected"]
        place = order.index((name, claim["id"])), settings.index(setting)
        found[place] = verdict, expected, claim["unexpected"]
        sheet.notes.append(f"{name}, {setting}: {claim['id']} {verdict}: {claim['because']}")
        sheet.table.append((name, claim["id"], setting, verdict, "expected", expected))
    draw_matrix(axes, labels, headings, found)
    for label, (_, claim) in zip(axes.get_yticklabels(), order):
        label.set_weight("normal" if claim else "bold")
    return sheet


def is_about(row):
    return row["name"].startswith("fragmentation/")
