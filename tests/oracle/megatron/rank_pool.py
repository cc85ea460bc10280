"""One process per rank, forked once and used for all topologies and families: importing torch and Megatron costs seconds."""

import multiprocessing
from pathlib import Path

import rank_process
from patience import patience

ANSWER_SECONDS = patience(150)  # more than a rank waits for the others


class RankError(Exception):
    """A command failed on a rank; the text is the end of its traceback."""


class RankPool:
    """Commands to the ranks of the current topology, all at once."""

    def __init__(self, size, work):
        self.size = size
        self.work = Path(work)
        self.meetings = 0
        self.topology = None
        self.processes = []
        self.fork()

    def fork(self):
        context = multiprocessing.get_context("fork")
        self.processes = []
        for rank in range(self.size):
            here, there = context.Pipe()
            others = [here, *(connection for _, connection in self.processes)]
            # Not a daemon: Megatron's writer starts processes of its own.
            process = context.Process(target=rank_process.serve, args=(rank, there, others))
            process.start()
            there.close()
            self.processes.append((process, here))

    def start(self, topology):
        """The ranks of this topology, in a fresh process group unless it is the current one."""
        if topology != self.topology:
            self.topology = None
            self.meetings += 1
            self.send(topology.world, "start", topology=topology, meeting_point=str(self.work / f"meeting_{self.meetings}"))
            self.topology = topology

    def call(self, command, **arguments):
        """The answers of all ranks. After a failure the process group is made anew for the next start()."""
        try:
            return self.send(self.topology.world, command, **arguments)
        except RankError:
            self.topology = None
            raise

    def send(self, world, command, **arguments):
        for _, connection in self.processes[:world]:
            connection.send((command, arguments))
        answers, failures = [], []
        for rank, (_, connection) in enumerate(self.processes[:world]):
            try:
                if not connection.poll(ANSWER_SECONDS):
                    raise EOFError
                fine, value = connection.recv()
            except (EOFError, ConnectionResetError):
                self.restart()
                raise RankError(f"{command}: rank {rank} does not answer") from None
            answers.append(value)
            if not fine:
                failures.append(f"{command}: rank {rank}: {value.strip()[-1500:]}")
        if failures:
            raise RankError(failures[0])
        return answers

    def restart(self):
        self.close()
        self.topology = None
        self.fork()

    def close(self):
        for process, connection in self.processes:
            connection.close()
            process.terminate()
            process.join()
