# tocuda, Apache-2.0.
"""Runs an action in a forked child, so that one import of torch serves several first uses of CUDA."""

import json
import os
import traceback


def in_forked_child(see, name, action):
    """`action` gets a `see` of its own that reports through a pipe; how the child ended is recorded too."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            action(lambda key, value: os.write(writing, json.dumps([key, value]).encode() + b"\n"))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with open(reading, encoding="utf-8") as said:
        for line in said:
            see(*json.loads(line))
    see(f"{name}.ended_by", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
