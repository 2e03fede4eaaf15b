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

MOST_ROWS = 24  # bars in one picture
MOST_COLUMNS, MOST_RUNS, MOST_CLAIMS = 24, 7, 45


def pages(things, most=style.MOST):
    """Splits things into evenly filled pages of at most `most`."""
    count = -(-len(things) // most)
    size = -(-len(things) // count) if count else 0
    return [things[start : start + size] for start in range(0, len(things), size)] if size else []


def numbered(all_pages, *words):
    """Yields (page, its file name, the end of its title). The number of a page stands before the last word."""
    several = len(all_pages) > 1
    for number, page in enumerate(all_pages, 1):
        named = (*words[:-1], str(number) if several else "", words[-1])
        name = "-".join(word.replace("/", "_").replace(" ", "_") for word in named if word)
        yield page, name, f" ({number} of {len(all_pages)})" if several else ""


def by_family(curves):
    """Groups curves that share a picture: those of one family that count bytes the same way. Yields (family, a word if
    the family has several pictures, whether bytes count, curves)."""
    families = {}
    for curve in curves:
        convention = curve.convention if curve.has_bytes else ""
        families.setdefault((curve.family, curve.has_bytes, convention), []).append(curve)
    for (family, counted, convention), alike in families.items():
        several = sum(other[:2] == (family, counted) for other in families) > 1
        yield family, convention if several else "", counted, alike


def tail_of(source, sources):
    """The end of a source's file names that tells them from other sources'; empty if there is only one source."""
    if len(sources) == 1:
        return ""
    alike = [other for other in sources if other.short_run == source.short_run]
    return source.short_run + (f"-{alike.index(source)}" if len(alike) > 1 else "")


def against_size(source, tail):
    for family, kind, counted, curves in by_family(source.curves):
        what = "bandwidth" if counted else "time"
        sized = [curve for curve in curves if size_chart.sizes_of([curve])]
        for page, name, words in numbered(pages(sized), what, family, kind, tail):
            yield size_chart.sheet(source, page, name, f"{heading_of(page)}: {what} against size{words}")


def at_one_size(source, tail, wanted):
    for family, kind, counted, curves in by_family(source.curves):
        size = mechanism_chart.common_size(curves, wanted)
        if not any(curve.at(size) and curve.at(size).sound for curve in curves):
            continue
        there = [curve for curve in curves if size is None or curve.at(size)] if wanted is None else curves
        what = "mechanisms" if counted else "times"
        where = f" at {size_text(size)}" if size is not None else ""
        for page, name, words in numbered(pages(there, MOST_ROWS), what, family, kind, tail):
            yield mechanism_chart.sheet(source, page, size, name, f"{heading_of(page)}: {what}{where}{words}")


def start_up(source, tail):
    for family, kind, counted, curves in by_family(source.curves):
        for page, name, words in numbered(pages(curves, MOST_ROWS) if counted else [], "startup", family, kind, tail):
            title = f"{heading_of(page)}: start-up time and half-bandwidth size{words}"
            yield startup_chart.sheet(source, page, name, title)


def tax(source, tail):
    for page, name, words in numbered(pages(tax_chart.taxes_of(source)), "tax", tail):
        title = f"the framework's tax: LibTorch against the CUDA runtime alone{words}"
        yield tax_chart.sheet(source, page, name, title)


def verdicts(source, tail):
    if not source.claims:
        return
    for page, name, _ in numbered([source.claims], "verdicts", tail):
        yield verdict_chart.overview(source, page, name)
    variants = {}
    for row in source.scenarios:
        if row["claims"]:
            variants.setdefault(row["name"].split("/")[0], set()).add(verdict_chart.variant_of(row))
    for family, of_family in sorted(variants.items()):
        for page, name, words in numbered(pages(sorted(of_family), MOST_COLUMNS), "verdicts", family, tail):
            yield verdict_chart.matrix(source, page, name, f"{family}: claims and variants{words}")


def over_one_another(sources, tail):
    shared = overlay_chart.shared_curves(sources)
    by_key = {curve.key: one for one in shared for _, curve in one[:1]}
    for family, kind, _, curves in by_family([one[0][1] for one in shared]):
        together = pages([by_key[curve.key] for curve in curves], overlay_chart.MOST_PANELS)
        for name, title, against in (("overlay", "all runs", False), ("relative", "against the first run", True)):
            for page, file_name, words in numbered(together, name, family, kind, tail):
                there = [source for source in sources if any(source is one for curves in page for one, _ in curves)]
                yield overlay_chart.sheet(there, page, file_name, f"{family}: {title}{words}", against)


def verdicts_side_by_side(sources):
    judged = [source for source in sources if source.scenarios]
    if len(judged) < 2:
        return
    names = overlay_chart.names_of(judged)
    claims = sorted({claim["id"] for source in judged for claim in source.claims})
    for group, begin, _ in numbered(pages(judged, MOST_RUNS), "verdicts-runs", ""):
        for page, name, words in numbered(pages(claims, MOST_CLAIMS), begin, ""):
            yield verdict_chart.side_by_side(group, names, page, name, f"every claim in all runs{words}")


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
        for page, tail, _ in numbered(pages(alike, MOST_RUNS), device, ""):
            if len(page) > 1:
                yield from over_one_another(page, tail)
    yield from verdicts_side_by_side(sources)


def album(sources, wanted):
    for source in sources:
        tail = tail_of(source, sources)
        yield from (page for page in of_source(source, tail, wanted) if page)
    yield from together(sources)
