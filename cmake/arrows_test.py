#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Reads the includes of every room and fails on an arrow that cmake/rooms.txt does not draw."""

import json
import pathlib
import re
import sys
import unittest
from collections import Counter

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]', re.M)


def drawn(text):
    """The list of rooms: the folder of each, the rooms it may include, and the rooms that may know each library."""
    folders, arrows, libraries, room = {}, {}, {}, ""
    for line in text.splitlines():
        if line.startswith("  includes "):
            arrows[room].update(line.split()[1:])
        elif line.startswith("  knows "):
            for library in line.split()[1:]:
                libraries.setdefault(library.rstrip("/"), set()).add(room)
        elif line and not line.startswith("#"):
            folder = line.split(":")[0]
            room = folder.rpartition("/")[2] if folder.startswith("harness/") else folder
            folders[room], arrows[room] = folder, set()
    return folders, arrows, libraries


FOLDER_OF, ARROWS, FOREIGN = drawn((ROOT / "cmake/rooms.txt").read_text())
GROUPS = ("values", "workers", "results", "supervisor", "cli")


def room_of(path):
    """The room whose folder holds a file, the innermost; an include names it without the folders of the harness."""
    inside = [room for room in ARROWS if f"{path}/".startswith(f"{FOLDER_OF[room]}/")]
    return max(inside, key=len, default=str(path))


def room_included(target):
    return max((room for room in ARROWS if target.startswith(f"{room}/")), key=len, default="")


def sources():
    for folder in ("benchmarks", "harness", "kernels", "scenarios", "simulator"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in {".cpp", ".hpp", ".h", ".cu", ".cuh"}:
                yield path, room_of(str(path.relative_to(ROOT)))


CODE = {".cpp", ".hpp", ".h", ".cu", ".cuh", ".py", ".js", ".css", ".bash", ".cmake"}
FOLDERS = ("benchmarks", "harness", "kernels", "scenarios", "simulator", "scripts", "cmake", ".ci")


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
            yield f"{path.relative_to(ROOT)}: its folder is no room"
            continue
        for mark, target in INCLUDE.findall(path.read_text(errors="replace")):
            included, head = room_included(target) if mark == '"' else "", target.split("/")[0]
            if "_test" in path.name and included == "json_lines":
                continue  # a test reads recorded lines, whatever its room
            if included and included not in {room, *ARROWS[room]}:
                yield f"{path.relative_to(ROOT)} includes {target}: no arrow from {room} to {included}"
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
    folders = [ROOT, ROOT / "simulator", *(ROOT / "harness" / group for group in GROUPS)]
    for path, room in sources():
        if "_test" in path.name or path.suffix not in {".cpp", ".cu"}:
            continue
        for target, (mark, at) in reached_from(path, folders).items():
            included, head = room_included(target) if mark == '"' else "", target.split("/")[0]
            if included and included not in {room, *below(room)}:
                yield f"{path.relative_to(ROOT)} sees {target} through {at.relative_to(ROOT)}"
            if head in FOREIGN and not FOREIGN[head] & {room, *below(room)}:
                yield f"{path.relative_to(ROOT)} sees {target} through {at.relative_to(ROOT)}"


def benchmarks():
    """The names of all benchmarks, as the descriptions among the sources have them."""
    for file in (ROOT / "harness/supervisor/request/descriptions").glob("*.jsonl"):
        lines = map(json.loads, file.read_text().splitlines())
        yield from (line["name"] for line in lines if line["kind"] == "benchmark")


OF_TESTS = re.compile(r"_test\.|/tests/|/browser/|/made_up")


def named_benchmarks(code, names):
    """Lines that name a benchmark, a folder of them within another, or, at the beginning of a text, any folder."""
    folders = {name[: part.start()] for name in names for part in re.finditer("/", name)}
    whole = [re.escape(name) for name in {*names, *(folder for folder in folders if "/" in folder)}]
    first = [re.escape(folder) for folder in folders if "/" not in folder]
    known = re.compile(rf"(?<![\w/.-])({'|'.join(whole)})(?![\w-]|\.[ch]pp)|[\"'`]({'|'.join(first)})/(?!\w+\.[ch]pp)")
    for path, lines in code:
        if path.startswith(("harness/", "scripts/")) and not OF_TESTS.search(path):
            found = (number for number, line in enumerate(lines, 1) if known.search(line))
            yield from (f"{path}:{number}: {lines[number - 1].strip()}" for number in found)


class Arrows(unittest.TestCase):
    def test_the_list_names_only_rooms_and_every_folder_of_a_room_exists(self):
        self.assertEqual(sorted(set().union(*ARROWS.values()) - ARROWS.keys()), [], "names of no room")
        self.assertEqual([folder for folder in FOLDER_OF.values() if not (ROOT / folder).is_dir()], [])

    def test_a_list_is_read(self):
        text = "# Rooms.\n\nharness/x/a: what\n  knows A/ b.h\n\nb/c: more\n  includes a d\n  includes e\n"
        self.assertEqual(
            drawn(text),
            ({"a": "harness/x/a", "b/c": "b/c"}, {"a": set(), "b/c": {"a", "d", "e"}}, {"A": {"a"}, "b.h": {"a"}}),
        )

    def test_groups_of_the_harness_follow_each_other(self):
        groups = [folder.split("/")[1] for folder in FOLDER_OF.values() if folder.startswith("harness/")]
        self.assertEqual(groups, sorted(groups, key=GROUPS.index))

    def test_every_include_follows_an_arrow(self):
        self.assertEqual(list(wrong_arrows()), [])

    def test_what_is_included_indirectly_follows_arrows_too(self):
        self.assertEqual(list(wrong_arrows_indirectly()), [])

    def test_arrows_lead_up_the_list(self):
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

    def test_what_the_simulator_shares_is_headers(self):
        """It is loaded into other programs, so it links nothing of the harness."""
        shared = [path for path, room in sources() if room == "simulator/schema"]
        self.assertTrue(shared)
        self.assertEqual([path.name for path in shared if path.suffix not in {".hpp", ".h"}], [])

    def test_files_are_no_longer_than_500_lines(self):
        self.assertEqual([name for name, lines in all_code() if len(lines) > 500], [])

    def test_lines_are_no_longer_than_120_columns(self):
        long = [f"{name}:{n}" for name, lines in all_code() for n, line in enumerate(lines, 1) if len(line) > 120]
        self.assertEqual(long, [])

    def test_headers_have_names_of_their_own(self):
        """But for those by which quick_doctor replaces others."""
        headers = [path for path, _ in sources() if path.suffix == ".hpp" and "replaced" not in path.parts]
        names = Counter(path.name for path in headers)
        self.assertEqual([str(path) for path in headers if names[path.name] > 1], [])

    def test_members_have_no_trailing_underscore(self):
        declared = re.compile(r"^ +(?!return )[\w:<>,*& ]+[*&> ](\w+_)(?:\{.*\}| = .*)?;", re.M)
        named = [f"{path}: {name}" for path, _ in sources() for name in declared.findall(path.read_text())]
        self.assertEqual(named, [])

    def test_code_of_every_language_is_looked_at(self):
        names = {name for name, _ in all_code()}
        for name in ("kernels/scale.cpp", "harness/cli/report/browser/pages_test.py", "scripts/operators", ".ci/run"):
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

    def test_the_harness_and_the_scripts_know_no_benchmark_by_name(self):
        """What they need to know of one is in its description."""
        names = set(benchmarks())
        self.assertGreater(len(names), 100)
        self.assertEqual(list(named_benchmarks(all_code(), names)), [])

    def test_names_of_benchmarks_are_found(self):
        text = ['name == "memory/read"', "# copy/to/gpu is", 'starts_with("memory/")', "of /proc/memory/read"]
        text += ['"copy/to"', '#include "memory/read.hpp"', "memory/s or copy/paste"]
        code = [("harness/x.cpp", text), ("harness/x_test.cpp", text), ("kernels/read.cpp", text)]
        found = list(named_benchmarks(code, {"memory/read", "copy/to/gpu"}))
        self.assertEqual([line.split(":")[1] for line in found], ["1", "2", "3", "5"])

    def test_no_macros(self):
        found = [
            str(path.relative_to(ROOT))
            for path, _ in sources()
            if re.search(r"^\s*#\s*define\s", path.read_text(errors="replace"), re.M)
        ]
        self.assertEqual(found, [])


if __name__ == "__main__":
    sys.exit(unittest.main())
