# tocuda, Apache-2.0.
"""The result files of each page that the tests open."""

import json
import subprocess

from recordings import gpu_id, measured, measurement, measurements, run_line, scenarios, write

HOSTILE = "\"><script>document.title='broken into'</script><img src=http://example.invalid/x onerror=alert(1)>'"
LONG = 10_000  # rows
SLOW_GPU = 6  # of the fleet: node2 cuda:2


class PageFiles:
    """Each method writes one page's files and returns their paths."""

    def __init__(self, folder, source, program):
        self.folder, self.source, self.program = folder, source, program

    def write(self, name, *sections):
        return write(self.folder / name, *sections)

    def run(self):
        changed = json.loads(json.dumps(scenarios(self.source)))
        changed[0]["outcome"] |= {"ended": "signal", "code": 11}
        return [self.write("run.jsonl", [run_line(1, "run"), *changed])]

    def bench(self):
        return [self.write("bench.jsonl", [run_line(2, "bench"), *measurements()])]

    def full(self):
        """A full run as the program plans it for a simulated GPU. What it does not reach in a second is made up."""
        words = "bench --full --budget 1 --simulate 1xH200 --quiet --output".split()
        command = [self.program, *words, self.folder / "plan"]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        (file,) = (self.folder / "plan").iterdir()
        line, *rows = (json.loads(text) for text in file.read_text().splitlines()[:-1])
        made_up = []
        for number, row in enumerate(rows):
            made_up += measured(row, number) if row["check"].startswith("budget:") else [row]
        return [self.write("full.jsonl", [line, *made_up])]

    def compared(self):
        new = {"driver": {"kernel_module": "590.44.01", "cuda": "13.1", "flavour": "simulated"}}
        sides = {}
        for side, first, changes, slower in (("old", 3, {}, 1.0), ("new", 13, new, 1.04)):
            sides[side] = [
                [run_line(first + i, "bench", **changes), *measurements(0, slower + i * 0.0003)] for i in range(3)
            ]
        return [self.write(f"{side}.jsonl", *sections) for side, sections in sides.items()]

    def models(self):
        """A run of each of two models."""
        files = []
        for number, (model, slower) in enumerate((("NVIDIA H100 80GB HBM3", 1.1), ("NVIDIA H200", 1.0))):
            line = run_line(8 + number, "bench")
            line["gpus"][0]["name"] = model
            files.append(self.write(f"model{number}.jsonl", [line, *measurements(0, slower)]))
        return files

    def fleet(self):
        """Three hosts with four GPUs each, of which one copies slowly."""
        sections = []
        for host in range(3):
            line = run_line(20 + host, "bench", gpus=4)
            line["machine"] |= {"host": f"node{host + 1}"}
            rows = []
            for index, gpu in enumerate(line["gpus"]):
                number = 4 * host + index
                gpu["uuid"] = gpu_id(number)
                rows += measurements(number, 1.2 if number == SLOW_GPU else 1.0, 0.002)
            sections.append([line, *rows])
        return [self.write("fleet.jsonl", *sections)]

    def hostile(self):
        line = run_line(5, "bench")
        line["machine"] |= {"host": HOSTILE, "cpu": HOSTILE * 50}
        line["gpus"][0]["name"] = HOSTILE
        rows = [
            row | {"flags": [HOSTILE], "peak_bytes_per_second": 7e10, "peak_source": HOSTILE} for row in measurements()
        ]
        scenario = scenarios(self.source)[0] | {"stderr_tail": HOSTILE, "variant": HOSTILE}
        scenario["claims"] = [claim | {"because": HOSTILE} for claim in scenario["claims"]]
        return [self.write("hostile.jsonl", [line, *rows, scenario])]

    def redacted(self):
        line = run_line(7, "bench", gpus=2)
        scenario = scenarios(self.source)[0] | {"stderr_tail": f"node17: /usr/lib/libcuda.so.1, {line['boot']}"}
        return [self.write("node17.jsonl", [line, *measurements(1), scenario])]

    def long(self):
        rows = [
            measurement(f"made/up/{number // 50}", {"bytes": 1024 << number % 20, "step": number},
                                   1e-6 * (1 + number % 100), 0)
            for number in range(LONG)
        ]  # fmt: skip
        return [self.write("long.jsonl", [run_line(6, "bench"), *rows])]
