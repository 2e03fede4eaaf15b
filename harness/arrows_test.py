#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Reads the includes of every room and fails on an arrow that CONTRIBUTING.md does not draw."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)

ROW = re.compile(r"^\| (\w+) \|([^|]*)\|([^|]*)\|([^|]*)\|$", re.M)


def drawn(text):
    """The table of rooms in CONTRIBUTING.md: room -> rooms it may include; library -> rooms that may know it."""
    arrows, libraries = {}, {}
    for room, _, included, known in ROW.findall(text.split("\n## Rooms\n")[1].split("\n## ")[0]):
        if room == "room":
            continue  # the heading
        arrows[room] = {name for name in re.sub(r"\(\d\)", "", included).replace(",", " ").split()}
        for library in re.findall(r"`([^`/]+)/?`", known):
            libraries.setdefault(library, set()).add(room)
    return arrows, libraries


ARROWS, FOREIGN = drawn((ROOT / "CONTRIBUTING.md").read_text())

# The schema of a simulated GPU and its compiled form. These headers include the standard library alone, so that the
# simulator, which is loaded into other programs, links nothing of ours.
SHARED_WITH_THE_SIMULATOR = "model/simulated/"


def sources():
    for folder in [ROOT / "harness", ROOT / "scenarios", ROOT / "kernels", ROOT / "runtime_calls", ROOT / "framework"]:
        for path in sorted(folder.rglob("*")):
            if path.suffix in {".cpp", ".hpp", ".h", ".cu", ".cuh"}:
                room = path.relative_to(ROOT).parts[0]
                yield path, path.relative_to(ROOT).parts[1] if room == "harness" else room


CODE = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".js", ".css", ".bash", ".cmake"}
FOLDERS = ("harness", "scenarios", "kernels", "runtime_calls", "framework", "scripts", "cmake", ".ci")


def all_code():
    """Names and lines of all that people write in a programming language, scripts without a suffix among them."""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()):
        if path.suffix in CODE or path.name == "CMakeLists.txt" or path.read_bytes().startswith(b"#!"):
            yield str(path.relative_to(ROOT)), path.read_text(errors="replace").splitlines()


NAMESPACE = re.compile(r"namespace ([\w:]*) ?\{$")
NOUN = re.compile(r"(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*)?\s*\{")


def nouns_of(text):
    """The types at the outermost level of each namespace that other files could name."""
    around = []
    for line in text.splitlines():
        if opened := NAMESPACE.match(line):
            around.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            around.pop()
        elif (noun := NOUN.match(line)) and "" not in around:
            yield "::".join([*around, noun.group(1)])


def nouns_of_two_files():
    where = {}
    for path, _ in sources():
        for noun in set(nouns_of(path.read_text(errors="replace"))):
            where.setdefault(noun, []).append(str(path.relative_to(ROOT)))
    return {noun: files for noun, files in where.items() if len(files) > 1}


def wrong_arrows():
    for path, room in sources():
        if room not in ARROWS:
            yield f"{path.relative_to(ROOT)}: '{room}' has no row in the table of rooms"
            continue
        for mark, target in INCLUDE.findall(path.read_text(errors="replace")):
            head = target.split("/")[0]
            if "_test" in path.name and head == "json_lines":
                continue  # a test reads recorded lines, whatever its room
            if room == "simulator" and target.startswith(SHARED_WITH_THE_SIMULATOR):
                continue
            if mark == '"' and head in ARROWS and head != room and head not in ARROWS[room]:
                yield f"{path.relative_to(ROOT)} includes {target}: no arrow from {room} to {head}"
            if "_test" not in path.name and head in FOREIGN and room not in FOREIGN[head]:
                yield f"{path.relative_to(ROOT)} includes {target}: only {sorted(FOREIGN[head])} may know {head}"


def below(room):
    """The rooms that this one may see indirectly: those at the ends of its arrows, and all below these."""
    found, waiting = set(), [room]
    while waiting:
        for each in ARROWS[waiting.pop()] - found:
            found.add(each)
            waiting.append(each)
    return found


def reached_from(path, folders):
    """The headers that a file includes directly or indirectly, each with the file that names it."""
    reached, waiting = {}, [path]
    while waiting:
        at = waiting.pop()
        for mark, target in INCLUDE.findall(at.read_text(errors="replace")):
            if target in reached:
                continue
            reached[target] = (mark, at)
            ours = next((folder / target for folder in folders if mark == '"' and (folder / target).is_file()), None)
            if ours:
                waiting.append(ours)
    return reached


def wrong_arrows_indirectly():
    folders = [ROOT, ROOT / "harness"]
    for path, room in sources():
        if "_test" in path.name or path.suffix not in {".cpp", ".cu"}:
            continue
        for target, (mark, at) in reached_from(path, folders).items():
            head = target.split("/")[0]
            if room == "simulator" and target.startswith(SHARED_WITH_THE_SIMULATOR):
                continue
            if mark == '"' and head in ARROWS and head != room and head not in below(room):
                yield f"{path.relative_to(ROOT)} sees {target} through {at.relative_to(ROOT)}"
            if head in FOREIGN and not FOREIGN[head] & {room, *below(room)}:
                yield f"{path.relative_to(ROOT)} sees {target} through {at.relative_to(ROOT)}"


class Arrows(unittest.TestCase):
    def test_the_table_has_a_row_for_each_room_and_names_only_rooms(self):
        self.assertEqual(sorted({room for _, room in sources()} - ARROWS.keys()), [], "rooms without a row")
        self.assertEqual(sorted(set().union(*ARROWS.values()) - ARROWS.keys()), [], "names of no room")

    def test_every_room_of_the_table_exists(self):
        missing = [room for room in ARROWS if not any((folder / room).is_dir() for folder in (ROOT, ROOT / "harness"))]
        self.assertEqual(missing, [])

    def test_a_table_is_read(self):
        text = (
            "\n## Rooms\n| room | holds | may include | libraries |\n|---|---|---|---|\n"
            "| a | x | | `A/` `b.h` |\n| b | y | a (1), c | |\n\n## Next\n"
        )
        self.assertEqual(drawn(text), ({"a": set(), "b": {"a", "c"}}, {"A": {"a"}, "b.h": {"a"}}))

    def test_every_include_follows_an_arrow(self):
        self.assertEqual(list(wrong_arrows()), [])

    def test_what_is_included_indirectly_follows_arrows_too(self):
        self.assertEqual(list(wrong_arrows_indirectly()), [])

    def test_arrows_lead_up_the_table(self):
        order = list(ARROWS)
        self.assertEqual(
            [(room, each) for room in order for each in ARROWS[room] if order.index(each) >= order.index(room)], []
        )

    def test_rooms_without_ours_include_the_standard_library_only(self):
        found = [
            f"{path.relative_to(ROOT)}: {target}"
            for path, room in sources()
            if room in {"model", "statistics"}
            for mark, target in INCLUDE.findall(path.read_text())
            if mark == "<" and ("/" in target or target.endswith(".h")) and not target.startswith(("gtest", "tl/"))
        ]
        self.assertEqual(found, [])

    def test_what_the_simulator_shares_is_headers_that_include_nothing_else_of_ours(self):
        shared = [path for path, _ in sources() if SHARED_WITH_THE_SIMULATOR in str(path)]
        self.assertTrue(shared)
        self.assertEqual([path.name for path in shared if path.suffix != ".hpp"], [])
        included = [
            (path.name, target) for path in shared for mark, target in INCLUDE.findall(path.read_text()) if mark == '"'
        ]
        self.assertEqual([each for each in included if not each[1].startswith(SHARED_WITH_THE_SIMULATOR)], [])

    def test_files_are_no_longer_than_500_lines(self):
        self.assertEqual([name for name, lines in all_code() if len(lines) > 500], [])

    def test_lines_are_no_longer_than_120_columns(self):
        long = [f"{name}:{n}" for name, lines in all_code() for n, line in enumerate(lines, 1) if len(line) > 120]
        self.assertEqual(long, [])

    def test_code_of_every_language_is_looked_at(self):
        names = {name for name, _ in all_code()}
        for name in ("kernels/scale.cpp", "harness/report/browser/pages_test.py", "scripts/operators", ".ci/run"):
            self.assertIn(name, names)

    def test_nouns_are_found(self):
        self.assertEqual(
            list(
                nouns_of(
                    "namespace a {\nnamespace {\nstruct B {\n}  // namespace\nclass C final : public B {\n"
                    "enum class D { x };\nstruct E;\n}  // namespace a\n"
                )
            ),
            ["a::C", "a::D"],
        )

    def test_no_two_files_define_types_of_one_name(self):
        """Two of them in one program would be one to the linker."""
        self.assertEqual(nouns_of_two_files(), {})

    def test_no_macros(self):
        found = [
            str(path.relative_to(ROOT))
            for path, _ in sources()
            if re.search(r"^\s*#\s*define\s", path.read_text(errors="replace"), re.M)
        ]
        self.assertEqual(found, [])


if __name__ == "__main__":
    sys.exit(unittest.main())
