"""For programs that train over gloo: no process group is freed before the process ends.

torch frees one with the interpreter's lock held and waits for gloo's threads, one of which may want that lock for a tensor of its last
collective: both then wait for ever. When such a thread frees its last collective while the interpreter already ends, asking for the lock
ends the process with SIGABRT: so the interpreter waits for them before it ends.
"""

import atexit
import time

SECONDS = 0.5  # in which gloo's threads free what is left


def keep():
    from torch.distributed import distributed_c10d

    atexit.register(time.sleep, SECONDS)  # the first that is registered is the last that is called
    make, kept = distributed_c10d._new_process_group_helper, []

    def make_and_keep(*arguments, **named):
        kept.append(make(*arguments, **named))
        return kept[-1]

    distributed_c10d._new_process_group_helper = make_and_keep
