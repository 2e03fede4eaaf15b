# tocuda, Apache-2.0.
"""Decides which pictures are drawn from a set of sources."""

import mechanism_chart
import overlay_chart
import size_chart
import startup_chart
import style
import tax_chart
import verdict_chart
from curve import heading_of
from units import size_text
from verdict import seen_in, totals_of

MOST_ROWS = 24  # bars in one picture
MOST_COLUMNS, MOST_RUNS, MOST_CLAIMS = 24, 7, 45


def pages(things, most=style.MOST):
    """Splits things into evenly filled pages of at most `most`."""
    count = -(-len(things) // most)
    size = -(-len(things) // count) if count else 0
    return [things[start : start + size] for start in range(0, len(things), size)] if size else []


def by_family(curves):
    """Groups curves that share a picture: those of one family that count bytes the same way. Yields (family, a word if
    the family has several pictures, whether bytes count, curves)."""
    families = {}
    for curve in curves:
        families.setdefault((curve.family, curve.has_bytes, curve.convention if curve.has_bytes else ""), []).append(
            curve
        )
    for (family, counted, convention), alike in families.items():
        several = sum(other[:2] == (family, counted) for other in families) > 1
        yield family, convention if several else "", counted, alike


def file_name(*words):
    return "-".join(word.replace("/", "_").replace(" ", "_") for word in words if word)


def numbered(all_pages):
    """Yields (page, its number for the file name, its number for the title)."""
    for number, page in enumerate(all_pages, 1):
        several = len(all_pages) > 1
        yield page, str(number) if several else "", f" ({number} of {len(all_pages)})" if several else ""


def tail_of(source, sources):
    """The end of a source's file names that tells them from other sources'; empty if there is only one source."""
    if len(sources) == 1:
        return ""
    alike = [other for other in sources if other.short_run == source.short_run]
    return source.short_run + (f"-{alike.index(source)}" if len(alike) > 1 else "")


def against_size(source, tail):
    for family, kind, counted, curves in by_family(source.curves):
        what = "bandwidth" if counted else "time"
        sized = [
            curve
            for curve in curves
            if any(point.bytes and set(point.unsound) != {"skipped"} for point in curve.points)
        ]
        for page, part, words in numbered(pages(sized)):
            yield size_chart.sheet(
                source,
                page,
                file_name(what, family, kind, part, tail),
                f"{heading_of(page)}: {what} against size{words}",
            )


def at_one_size(source, tail, wanted):
    for family, kind, counted, curves in by_family(source.curves):
        size = mechanism_chart.common_size(curves, wanted)
        if not any(curve.at(size) and curve.at(size).sound for curve in curves):
            continue
        there = [curve for curve in curves if size is None or curve.at(size)] if wanted is None else curves
        what = "mechanisms" if counted else "times"
        where = f" at {size_text(size)}" if size is not None else ""
        for page, part, words in numbered(pages(there, MOST_ROWS)):
            yield mechanism_chart.sheet(
                source,
                page,
                size,
                file_name(what, family, kind, part, tail),
                f"{heading_of(page)}: {what}{where}{words}",
            )


def start_up(source, tail):
    for family, kind, counted, curves in by_family(source.curves):
        for page, part, words in numbered(pages(curves, MOST_ROWS) if counted else []):
            name = file_name("startup", family, kind, part, tail)
            yield startup_chart.sheet(
                source, page, name, f"{heading_of(page)}: start-up time and half-bandwidth size{words}"
            )


def tax(source, tail):
    for page, part, words in numbered(pages(tax_chart.taxes_of(source))):
        yield tax_chart.sheet(
            source,
            page,
            file_name("tax", part, tail),
            f"the framework's tax: LibTorch against the CUDA runtime alone{words}",
        )


def verdicts(source, tail):
    seen = seen_in(source)
    if not seen:
        return
    yield verdict_chart.overview(source, totals_of(source), file_name("verdicts", tail))
    for family in sorted({one.family for one in seen}):
        of_family = [one for one in seen if one.family == family]
        variants = sorted({(one.scenario, one.variant, one.device) for one in of_family})
        for page, part, words in numbered(pages(variants, MOST_COLUMNS)):
            chosen = [one for one in of_family if (one.scenario, one.variant, one.device) in page]
            yield verdict_chart.matrix(
                source, chosen, file_name("verdicts", family, part, tail), f"{family}: claims and variants{words}"
            )


def over_one_another(sources, tail):
    shared = overlay_chart.shared_curves(sources)
    by_key = {curve.key: one for one in shared for _, curve in one.curves[:1]}
    for family, kind, _, curves in by_family([one.curves[0][1] for one in shared]):
        for page, part, words in numbered(pages([by_key[curve.key] for curve in curves], overlay_chart.MOST_PANELS)):
            there = [source for source in sources if any(source is one for curve in page for one, _ in curve.curves)]
            for name, title, against in (("overlay", "all runs", False), ("relative", "against the first run", True)):
                yield overlay_chart.sheet(
                    there, page, file_name(name, family, kind, part, tail), f"{family}: {title}{words}", against
                )


def verdicts_side_by_side(sources, tail):
    columns = [(source, totals_of(source)) for source in sources if source.scenarios]
    if len(columns) < 2:
        return
    names = overlay_chart.names_of([source for source, _ in columns])
    claims = sorted({claim for _, totals in columns for claim in totals})
    for group, part, _ in numbered(pages(columns, MOST_RUNS)):
        for page, half, words in numbered(pages(claims, MOST_CLAIMS)):
            yield verdict_chart.side_by_side(
                [(names[id(source)], source, totals) for source, totals in group],
                page,
                file_name("verdicts-runs", part, half, tail),
                f"every claim in all runs{words}",
                any(source.simulated for source, _ in group),
            )


def of_source(source, tail, wanted):
    yield from against_size(source, tail)
    yield from at_one_size(source, tail, wanted.bytes)
    yield from start_up(source, tail)
    yield from tax(source, tail)
    yield from verdicts(source, tail)


def together(sources):
    """Pictures of several sources. Real and simulated figures never share one."""
    for device in dict.fromkeys(source.device for source in sources):
        alike = [source for source in sources if source.device == device and source.curves]
        for page, part, _ in numbered(pages(alike, MOST_RUNS)):
            if len(page) > 1:
                yield from over_one_another(page, "-".join(word for word in (device, part) if word))
    yield from verdicts_side_by_side(sources, "")


def album(sources, wanted):
    for source in sources:
        tail = tail_of(source, sources)
        yield from (page for page in of_source(source, tail, wanted) if page)
    yield from together(sources)
