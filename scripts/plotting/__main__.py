# tocuda, Apache-2.0.
"""Draws result files: plot FILE... -o FOLDER."""

import sys

NO_MATPLOTLIB = 77


def say(text):
    print(f"tocuda: {text}", file=sys.stderr)


def load_matplotlib():
    """Called only after the files have been read, because loading takes a second."""
    import style
    import sheet  # noqa: F401  loads the parts that fail if matplotlib and NumPy do not fit together

    style.apply()


def readable(wanted):
    from document import Unreadable, documents_of, files_in
    from source import sources_of
    from units import size_text

    paths = list(dict.fromkeys(path for given in wanted.files for path in files_in(given)))
    documents = documents_of(paths)
    sources = sources_of(documents.judged)
    if len(documents.recordings) > 1:
        raise Unreadable("draws one recording of memory at a time")
    if len(documents.replayed) > 1:
        raise Unreadable("draws one replay at a time")
    if not any((sources, documents.compared, documents.recordings, documents.replayed)):
        raise Unreadable(f"{paths[0]}: no rows to draw: `tocuda bench` writes measurements, `tocuda run` verdicts")
    if wanted.bytes:
        sizes = {point.bytes for source in sources for curve in source.curves for point in curve.points if point.bytes}
        if wanted.bytes not in sizes:
            there = ", ".join(size_text(one) for one in sorted(sizes)) or "none"
            raise Unreadable(f"--bytes {size_text(wanted.bytes)}: no row has this size; there are: {there}")
    return sources, documents


def draw(sources, documents, wanted):
    import index
    from album import album
    from memory import sheet_of
    from settings import settings_sheet

    wanted.folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    memory = [*map(sheet_of, documents.recordings), *map(settings_sheet, documents.replayed)]
    for sheet in filter(None, [*album(sources, documents, wanted.bytes), *memory]):
        drawn.append((sheet, sheet.save(wanted.folder, wanted.formats, wanted.csv)))
        print(*drawn[-1][1], sep="\n", flush=True)
    if not drawn:
        say("nothing to draw: no picture shows what these files hold, or no row of it is valid (docs/pictures.md)")
        return 2
    print(index.write(wanted.folder, drawn))
    say(f"{len(drawn)} picture{'s' * (len(drawn) != 1)} in {wanted.folder}: open index.html")
    return 0


def main(words):
    import arguments
    from document import Refused, Unreadable

    try:
        if words == ["--can-draw"]:
            load_matplotlib()
            return 0
        wanted = arguments.parse(words)
        sources, documents = readable(wanted)
        load_matplotlib()
        return draw(sources, documents, wanted)
    except (arguments.Usage, Unreadable) as error:
        say(error)
        return 2
    except Refused as refused:
        return refused.code
    except ImportError as error:
        say(f"this Python cannot draw: {error}")
        return NO_MATPLOTLIB
    except OSError as error:
        say(f"{error.filename}: cannot be written: {error.strerror}")
        return 2


if __name__ == "__main__":
    if sys.version_info < (3, 10):
        say("this Python is older than 3.10")
        sys.exit(NO_MATPLOTLIB)
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        say("stopped")
        sys.exit(5)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
