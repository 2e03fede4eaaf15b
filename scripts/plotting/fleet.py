# tocuda, Apache-2.0.
"""The picture of a fleet: each GPU among its peers. What stands out is what `tocuda compare --fleet` says."""

from dots import wrapped
from labels import labels_of, where
from sheet import LETTER, WIDTH, Sheet
from style import BLUE, SMALL, VERMILLION
from units import size_text, time_text

STRIPS, STRIP = 10, 0.6  # the most rows, and the height of each in inches
READ = (
    "A dot is a GPU's median time. A diamond stands out by `tocuda compare --fleet`; its label says how its "
    "speed differs from its peers' median. Each line has an axis of its own."
)
SAME = "nothing recorded differs"


def strips_of(sources, found):
    """The rows that most GPUs have, those first in which one stands out: {id: [(source, point)]} and labels."""
    strips, labels = {}, {}
    for source in sources:
        names = labels_of(source.curves)
        for curve in source.curves:
            for point in curve.sound:
                strips.setdefault(point.row["id"], []).append((source, point))
                size = f", {size_text(point.bytes)}" if point.bytes is not None else ""
                labels[point.row["id"]] = f"{where(curve.benchmark)}: {names[curve.key]}{size}"
    several = [one for one in strips if len({source.uuid for source, _ in strips[one]}) > 1]
    seen = {one["id"] for one in found}
    several.sort(key=lambda one: (one not in seen, -len(strips[one]), -(strips[one][0][1].bytes or 0), labels[one]))
    return {one: strips[one] for one in several[:STRIPS]}, labels, len(several)


def fleet(sources, fleets):
    """Which GPU stands out among its peers?"""
    found = [one for document in fleets for one in document["found"]]
    judged = sum(document["totals"]["rows"] for document in fleets)
    strips, labels, count = strips_of(sources, found)
    gpus = {source.uuid for source in sources}
    if not strips or len(gpus) < 3:
        return None
    text = [
        *(source.facts(whole=True) + "." for source in sources),
        READ,
        *(f"Cohort: {one['gpus']} x {one['model']}, driver {one['driver']}." for of in fleets for one in of["cohorts"]),
        "" if judged else "No GPU has enough peers to be judged.",
        *(f"{labels.get(one['id'], one['benchmark'])}: {one['because']}; {one['differs'] or SAME}." for one in found),
        f"Not drawn: {count - len(strips)} more rows." if count > len(strips) else "",
    ]
    verdict = f"{len(found)} findings" if found else "none stands out" if judged else "too few peers to judge"
    about = f"{len(gpus)} GPUs · {verdict} · a dot is a GPU's median time; right is slower"
    question = "Which GPU stands out among its peers?"
    sheet = Sheet("fleet", question, about, text, sources[0].simulated, STRIP * len(strips) + 0.15)
    left = max(len(part) for one in strips for part in wrapped(labels[one]).split("\n")) * LETTER + 0.2
    for number, (one, points) in enumerate(strips.items()):
        bottom = STRIP * (len(strips) - 1 - number) + 0.3
        axes = sheet.panel(left, bottom, WIDTH - left - 0.45, 0.3)
        draw_strip(axes, points, {(row["gpu"]): row for row in found if row["id"] == one})
        axes.set_yticks([0], [wrapped(labels[one])])
    sheet.table = [
        (labels[one], source.place, "time", point.seconds, *(point.interval or ("", "")))
        for one, points in strips.items()
        for source, point in points
    ]
    return sheet


def draw_strip(axes, points, found):
    times = [point.seconds for _, point in points]
    middle = (min(times) + max(times)) / 2
    reach = max(0.02 * middle, 0.6 * (max(times) - min(times)))
    axes.set_xlim(middle - reach, middle + reach)
    axes.set_ylim(-1, 1)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xticks([middle - reach, middle, middle + reach])
    axes.xaxis.set_major_formatter(lambda value, _: time_text(value))
    for source, point in points:
        row = found.get(source.uuid)
        look = {"marker": "D", "color": VERMILLION} if row else {"marker": "o", "color": BLUE, "alpha": 0.45}
        axes.plot([point.seconds], [0], linestyle="", clip_on=False, zorder=3 if row else 2, **look)
        if row:
            more = "less" if row["verdict"] == "below" else "more"
            said = f"{source.place}: {100 * abs(row['difference']):.1f} % {more} speed than its {row['peers']} peers"
            right = point.seconds > middle
            how = {"textcoords": "offset points", "va": "center", "ha": "right" if right else "left", "size": SMALL}
            axes.annotate(said, (point.seconds, 0.75), (-8 if right else 8, 0), **how)
