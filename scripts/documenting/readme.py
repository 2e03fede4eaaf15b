# tocuda, Apache-2.0.
"""Runs the commands of the README, and compares or refreshes what it shows of their output.

Indented lines are commands, except in a block that begins with "$ ": its first line is a command, the others are lines
of its output on a terminal, and "..." stands for any number of lines left out."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

INDENT = "    "
COLUMNS = 96  # with the indent, a hundred
LEFT_OUT = "..."
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")
LAUNCHERS = ("srun", "mpirun", "mpiexec", "torchrun")
# What a machine without a GPU answers where the exit code is not 0.
EXITS = {"scripts/tocuda bench": 4, "scripts/tocuda doctor": 1}


class Command:
    def __init__(self, text, line):
        self.words = text.split(" #")[0].strip()
        self.line = line  # of the README, from 0
        self.sample = []  # (line, text)

    def is_run(self):
        """False for what a test cannot run: the tests themselves, launchers, names that the reader must replace."""
        first = self.words.split()[0]
        return first != "scripts/test" and first not in LAUNCHERS and not PLACEHOLDER.search(self.words)


def commands(text):
    found, sampled = [], None
    for number, line in enumerate(text.splitlines()):
        if not line.startswith(INDENT):
            sampled = sampled if not line.strip() else None
            continue
        words = line[len(INDENT) :]
        if words.startswith("$ "):
            sampled = Command(words[2:], number)
            found.append(sampled)
        elif sampled:
            sampled.sample.append((number, words))
        else:
            found.append(Command(words, number))
    return found


def run(command, **settings):
    """Returns the exit code, what a terminal shows of standard output, and standard error."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    with subprocess.Popen(
        ["bash", "-c", command.words],
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
        **settings,
    ) as child:
        os.close(follower)
        shown = b""
        while part := read_terminal(leader):
            shown += part
        error = child.stderr.read().decode()
    os.close(leader)
    return child.returncode, shown.decode().replace("\r\n", "\n"), error


def read_terminal(leader):
    try:
        return os.read(leader, 1 << 16)
    except OSError:  # how a terminal says that its last writer has gone
        return b""


def comparable(line):
    """What does not differ between runs: no ids, numbers or widths of columns."""
    line = re.sub(r"\d{8}T\d{6}Z-(\w+-\w+)-[0-9a-f]{8}", r"TIME-\1-RUN", line)
    return " ".join(re.sub(r"\d[\d.,]*", "0", line).split())


def refreshed(sample, output):
    """Returns the sample's lines as this output has them, and the first line that it does not have, or None. Lines must
    be in order, and the first must be the output's first, which says what was simulated."""
    lines, at, new = output.splitlines(), 0, []
    for index, (number, text) in enumerate(sample):
        if text.strip() == LEFT_OUT or not text.strip():
            new.append((number, text))
            continue
        while at < len(lines) and comparable(lines[at]) != comparable(text) and index > 0:
            at += 1
        if at == len(lines) or comparable(lines[at]) != comparable(text):
            return new, text
        new.append((number, lines[at].rstrip()))
        at += 1
    return new, None
