# tocuda, Apache-2.0.
"""Imported first by tests that draw: exits as skipped if there is no matplotlib."""

import os
import sys

if os.environ.get("TOCUDA_PLOTTING"):
    sys.path.insert(1, os.environ["TOCUDA_PLOTTING"])
try:
    import style

    style.apply()
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
