# tocuda, Apache-2.0.
"""For tests that draw: imported first, it ends them as skipped where there is no matplotlib."""

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
