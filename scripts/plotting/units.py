# tocuda, Apache-2.0.
"""Formats sizes in powers of 1024, rates in powers of 1000, and times, with their units."""

SIZES = (("TiB", 1024**4), ("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024), ("B", 1))
RATES = (("TB/s", 1e12), ("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3), ("B/s", 1.0))
OPERATIONS = (
    ("Eop/s", 1e18),
    ("Pop/s", 1e15),
    ("Top/s", 1e12),
    ("Gop/s", 1e9),
    ("Mop/s", 1e6),
    ("kop/s", 1e3),
    ("op/s", 1.0),
)
TIMES = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def digits(number):
    """Three significant digits, never an exponent."""
    if number == 0:
        return "0"
    size = abs(number)
    decimals = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.9995 else 3
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def scaled(number, units):
    """In the largest unit of which there is at least one when rounded, otherwise in the smallest."""
    unit, scale = next((one for one in units if abs(number) >= 0.9995 * one[1]), units[-1])
    return f"{digits(number / scale)} {unit}"


def size_text(count):
    return scaled(count, SIZES)


def rate_text(bytes_per_second):
    return scaled(bytes_per_second, RATES)


def operations_text(a_second):
    return scaled(a_second, OPERATIONS)


def time_text(seconds):
    return scaled(seconds, TIMES)


def size_of(text):
    """Parses '64MiB', '4 KiB' or '4096'; returns None if it is not a size above zero."""
    word = text.strip()
    unit, factor = next((one for one in SIZES if word.endswith(one[0])), ("", 1))
    word = word.removesuffix(unit).strip()
    return int(word) * factor if word.isascii() and word.isdigit() and int(word) > 0 else None
