#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Checks the documents against each other and the sources, without running anything."""

import pathlib
import re
import sys
import unittest

import claims_page
import readme

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(text):
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    for target in LINK.findall(page.read_text()):
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        if target.startswith("http"):
            continue
        if not path.exists() or (anchor and anchor not in anchors(path.read_text())):
            yield f"{page.relative_to(ROOT)}: {target}"


def version_of(name, pattern):
    return re.search(pattern, (ROOT / name).read_text(), re.M).group(1)


class Documents(unittest.TestCase):
    def test_the_readme_fits_on_a_page(self):
        lines = (ROOT / "README.md").read_text().splitlines()
        self.assertLessEqual(len(lines), 120)
        self.assertEqual([line for line in lines if len(line) > 100], [])

    def test_every_link_leads_somewhere(self):
        self.assertEqual([link for page in PAGES for link in broken_links(page)], [])

    def test_every_page_is_reached_from_the_readme(self):
        linked = {(ROOT / link.split("#")[0]).resolve() for link in LINK.findall((ROOT / "README.md").read_text())}
        self.assertEqual([page.name for page in PAGES if page not in linked and page.name != "README.md"], [])

    def test_every_profile_is_named_where_simulated_gpus_are_explained(self):
        page = (ROOT / "docs/simulated-gpus.md").read_text()
        names = [path.stem for path in ROOT.glob("simulator/profiles/*.json")]
        self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", page)], [])

    def test_the_citation_has_the_version_of_the_build(self):
        built = version_of("CMakeLists.txt", r"^project\(tocuda VERSION ([\d.]+)")
        self.assertEqual(version_of("CITATION.cff", r"^version: ([\d.]+)$"), built)

    def test_every_claim_of_a_document_has_its_words_and_its_row(self):
        quotes = claims_page.quotes((ROOT / "scenarios/claims.txt").read_text())
        rows = re.findall(r"^\| (\d{3}-\w+) \|", (ROOT / "docs/claims.md").read_text(), re.M)
        self.assertEqual(sorted(quotes), sorted(rows))
        self.assertEqual([claim for claim, words in quotes.items() if len(words) < 20], [])

    def test_every_claim_of_today_has_its_source_and_its_row(self):
        said = claims_page.said_today((ROOT / "scenarios/claims_of_today.txt").read_text())
        rows = re.findall(r"^\| (T-\w+) \|", (ROOT / "docs/claims.md").read_text(), re.M)
        self.assertEqual(sorted(said), sorted(rows))
        for claim, (where, when, words) in said.items():
            with self.subTest(claim):
                self.assertRegex(where, r"^[\w.-]+/[\w.-]+#\d+$")
                self.assertRegex(when, r"^20\d\d-\d\d-\d\d$")
                self.assertGreaterEqual(len(words), 20)

    def test_every_scenario_is_linked_from_the_claims(self):
        page = (ROOT / "docs/claims.md").read_text()
        files = [*ROOT.glob("scenarios/*/*.cpp"), *ROOT.glob("scenarios/*/*.py")]
        names = [str(path.relative_to(ROOT)) for path in files if not path.stem.endswith("_test")]
        self.assertEqual([name for name in names if f"(../{name})" not in page], [])


class Samples(unittest.TestCase):
    def test_commands_are_found_with_their_samples(self):
        text = (
            "# A\n\n    scripts/x list   # why\n    source <(y)\n\n"
            "text\n\n    $ scripts/x run\n    first\n    ...\n\n    last\ntext\n"
        )
        found = readme.commands(text)
        self.assertEqual([one.words for one in found], ["scripts/x list", "source <(y)", "scripts/x run"])
        self.assertEqual([words for _, words in found[2].sample], ["first", "...", "last"])

    def test_what_the_reader_must_replace_is_not_typed(self):
        for words in ("scripts/test -R x", "srun -N 2 scripts/tocuda run", "scripts/tocuda cite FILE 1"):
            self.assertFalse(readme.Command(words, 0).is_run(), words)
        for words in ("scripts/tocuda bench --simulate 1xH200", "scripts/tocuda run"):
            self.assertTrue(readme.Command(words, 0).is_run(), words)

    def test_numbers_are_refreshed_and_words_are_not(self):
        sample = [(3, "took 4 s."), (4, "..."), (5, "in 20260101T000000Z-run-simulated-00000000.jsonl")]
        output = "took 5.5 s.\nmore\nin 20270101T000000Z-run-simulated-12345678.jsonl\n"
        lines, missing = readme.refreshed(sample, output)
        self.assertIsNone(missing)
        self.assertEqual(dict(lines)[3], "took 5.5 s.")
        self.assertIn("12345678", dict(lines)[5])
        for other in ("TRUE 4 s.", "more"):  # another word; not the first line
            self.assertEqual(readme.refreshed([(3, other)], output)[1], other)
        self.assertEqual(readme.refreshed([(0, "took 4 s."), (1, "took 4 s.")], output)[1], "took 4 s.")

    def test_the_page_keeps_the_claims_of_today_apart(self):
        listed = [
            ("environment/no_driver", {"id": "000-02", "source": "document 000"}),
            ("today/device_map", {"id": "T-01", "source": "seen in the field"}),
        ]
        claims = [
            {"id": claim["id"], "statement": "s", "because": "b", "verdict": verdict}
            for (_, claim), verdict in zip(listed, ("refuted", "reproduced"))
        ]
        page = claims_page.written(
            {"scenarios": [{"name": name, "claims": [claim]} for name, claim in listed]},
            {"claims": claims, "about": {"libtorch": {"version": "2.15.0"}}},
            [{"device": "simulated", "stand_in": ["runtime 2x8GiB"], "claims": []}],
            "000-02 refuted the words of a document\n",
            "T-01 reproduced owner/name#12 2026-01-02 the words of today\n",
        )
        documents, today = page.split("## Claims of today")
        self.assertIn("the words of a document", documents)
        self.assertIn("[owner/name#12](https://github.com/owner/name/issues/12), 2026-01-02", today)
        self.assertEqual((documents.count("| T-01 |"), today.count("| T-01 |"), today.count("| 000-02 |")), (0, 1, 0))
        self.assertIn("1 claims of today: 1 true.", documents)

    def test_the_page_of_claims_marks_where_each_was_seen(self):
        rows = [
            {"device": device, "stand_in": fakes, "claims": [{"id": "000-01", "verdict": verdict}]}
            for device, fakes, verdict in (
                ("none", ["driver 11020"], "refuted"),
                ("simulated", ["runtime 2x8GiB"], "refuted"),
                ("none", [], "skipped"),
            )
        ]
        self.assertEqual(claims_page.places_of("000-01", rows), ["fake driver", "simulated GPU"])


if __name__ == "__main__":
    sys.exit(unittest.main())
