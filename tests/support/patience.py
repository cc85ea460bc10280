"""How long a test waits before it says that something hangs. It is never a matter of how busy the machine is, or of how slow.

What a test says in seconds is what a quiet machine needs at the very most. `patience` makes a limit of it that only a hang reaches.
"""

import functools
import time

QUIET_SECONDS = 0.02  # for the work below, on an ordinary machine that does nothing else
MARGIN = 10           # for what other work may begin after the measuring


@functools.cache
def slowness():
    """How many times as long as on a quiet machine work takes here and now, at this priority; measured once, at least 1."""
    started = time.monotonic()
    sum(range(1_000_000))
    return max(1.0, (time.monotonic() - started) / QUIET_SECONDS)


def patience(seconds):
    return seconds * MARGIN * slowness()
