#!/usr/bin/env python3
# tocuda, Apache-2.0.
"""Peers: how they are built and run, and the table of their numbers beside ours."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from campaigning import peer_table  # noqa: E402
from campaigning.tests.tiny_campaign import OTHER, TinyCampaign, program  # noqa: E402

BABELSTREAM = """BabelStream
Version: 5.0
phase,n_elements,sizeof,max_mbytes_per_sec,runtime
Init,134217728,8,100,1
function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime
Copy,100,134217728,8,{copy},0.0006,0.0007,0.00065
Triad,100,134217728,8,4020000,0.0008,0.0009,0.00085
"""


# A compiler whose programs print their own name.
COMPILER = OTHER.replace(
    "behave\n",
    r"""behave
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho %s speaks\n' "$(basename "$2")" >"$2"
chmod +x "$2"
""",
    1,
)


class Table(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.recorded = Path(folder.name)

    def write(self, name, text):
        file = self.recorded / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def row(self, name, size, seconds, touched=2, **more):
        return (
            json.dumps(
                {
                    "kind": "measurement",
                    "benchmark": name,
                    "id": f"{size} {more}",
                    "status": "ok",
                    "samples": [seconds],
                    "bytes_one_way": size,
                    "bytes_touched": touched * size,
                    **more,
                }
            )
            + "\n"
        )

    def test_table_shows_numbers_side_by_side_with_their_drift(self):
        self.write("peers/babelstream-before.txt", BABELSTREAM.format(copy=4000000))
        self.write("peers/babelstream-after.txt", BABELSTREAM.format(copy=3900000))
        self.write(
            "results/rounds-copy/a.jsonl",
            "".join(self.row("copy/device_to_device/best", 4 * 10**9, seconds) for seconds in (2e-3, 1e-3, 9)),
        )
        line = next(line for line in peer_table.lines(self.recorded) if "babelstream Copy" in line)
        self.assertEqual(line.split()[2:6], ["4000.0", "3900.0", "-2.5", "4000.0"])
        self.assertIn("copy/device_to_device/best, touched", line)

    def test_output_of_each_peer_is_parsed(self):
        self.write(
            "peers/nvbandwidth-before.txt",
            "a warning\n"
            + json.dumps(
                {
                    "nvbandwidth": {
                        "testcases": [
                            {"name": "host_to_device_memcpy_ce", "sum": 55.6, "status": "Passed"},
                            {"name": "device_local_copy", "status": "Waived"},
                        ]
                    }
                }
            ),
        )
        rows = [
            {"torch": "2.11"},
            {"way": "device_to_device", "bytes_one_way": 2 * 10**9, "median_seconds": 1e-3},
            {"way": "host_to_device_pinned", "bytes_one_way": 10**9, "median_seconds": 0.02},
        ]
        self.write("peers/torch_copy-before.txt", "".join(json.dumps(row) + "\n" for row in rows))
        lines = [line.split()[:4] for line in peer_table.lines(self.recorded)[1:]]
        self.assertEqual(
            lines,
            [
                ["nvbandwidth", "host_to_device_memcpy_ce", "55.6", "-"],
                ["torch_copy", "device_to_device", "4000.0", "-"],
                ["torch_copy", "host_to_device_pinned", "50.0", "-"],
            ],
        )

    def test_our_number_is_the_best_variant_at_the_largest_size(self):
        self.write(
            "results/rounds-memory/a.jsonl",
            self.row("memory/triad", 10**9, 1e-4, 3)
            + self.row("memory/triad", 4 * 10**9, 3e-3, 3)
            + self.row("memory/triad", 4 * 10**9, 4e-3, 3, variant=1)
            + '{"kind": "measurement", "torn',
        )
        self.assertAlmostEqual(peer_table.ours(self.recorded)["memory/triad", "touched"], 4000.0)

    def test_unreadable_output_of_a_peer_is_ignored(self):
        self.write("peers/nvbandwidth-before.txt", "Segmentation fault")
        self.assertEqual(peer_table.lines(self.recorded), [])


class Built(TinyCampaign):
    """On a machine that appears to have a GPU, by a fake compiler and a fake nvidia-smi."""

    def setUp(self):
        super().setUp()
        compiler = self.place / "cuda/bin/nvcc"
        program(compiler, COMPILER)
        (self.place / "cuda/lib64/stubs").mkdir(parents=True)
        program(self.place / "bin/nvidia-smi", "#!/bin/sh\necho 9.0\n")
        source = self.folder / "peers/other/source"
        source.mkdir(parents=True)
        (source / "a.cu").write_text("")
        (source / "b.cu").write_text("")
        recipe = {
            "build": [["{nvcc}", "-arch=sm_{capability}", "{source}/*.cu", "{stubs}", "-o", "{built}/other"]],
            "run": ["{built}/other", "--csv"],
        }
        (self.folder / "peers/other/recipe.json").write_text(json.dumps(recipe))
        self.prepare(peers=["other"])
        self.built()

    def go(self, *words, **environment):
        return self.start(
            *words,
            CUDACXX=str(self.place / "cuda/bin/nvcc"),
            PATH=f"{self.place}/bin:{os.environ['PATH']}",
            **environment,
        )

    def test_peer_is_built_once_and_runs_before_and_after(self):
        self.go("--part", "1")
        code, calls, said = self.go("--part", "2")
        built = [call for call in calls if call.startswith("nvcc")]
        self.assertEqual(built, [], "built once, in the first part")
        self.assertEqual(
            {
                when: (self.folder / f"recorded/peers/other-{when}.txt").read_text()
                for when in ("first", "before", "after")
            },
            dict.fromkeys(("first", "before", "after"), "other speaks\n"),
            said,
        )

    def test_compiler_gets_the_architecture_and_the_files(self):
        _, calls, said = self.go("--part", "1")
        [built] = [call for call in calls if call.startswith("nvcc -arch")]
        self.assertIn("-arch=sm_90", built, said)
        source = self.folder / "peers/other/source"
        self.assertIn(f"{source}/a.cu {source}/b.cu -L{self.place}/cuda/lib64/stubs", built)

    def test_failed_build_of_a_peer_is_recorded_and_other_steps_run(self):
        code, _, said = self.go("--part", "1", FAILS="nvcc -arch")
        outcomes = self.outcomes("campaign.tar.gz")
        self.assertEqual(
            (code, outcomes["build-other"], outcomes["other-first"], outcomes["links"]),
            (1, "failed", "absent", "done"),
            said,
        )


if __name__ == "__main__":
    unittest.main()
