# tocuda, Apache-2.0.
"""A Slurm cluster on this machine for one test: a controller and a few virtual nodes, which never outlive the test."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

NEEDED = ("slurmctld", "slurmd", "srun", "sinfo", "scancel", "scontrol", "squeue")
NAMESPACE = "TOCUDA_FLEET_TEST_ALONE"

CONFIGURATION = """ClusterName=fleet
SlurmctldHost={host}
SlurmctldPort={port}
{loopback}SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=30
GresTypes=gpu
"""


def why_not():
    """Returns what is missing to start a Slurm cluster; empty if nothing is."""
    missing = [program for program in NEEDED if not shutil.which(program)]
    if missing:
        return "no Slurm: " + ", ".join(missing) + " not found"
    try:
        socket.gethostbyname(socket.gethostname())
    except OSError as problem:
        return f"Slurm needs a host name with an address: {problem}"
    return ""


def in_a_namespace_of_ones_own():
    """If permitted, restarts this program in a PID namespace, whose processes all end with the first."""
    if os.environ.get(NAMESPACE):
        return
    os.environ[NAMESPACE] = "1"
    alone = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if shutil.which("unshare") and subprocess.run([*alone, "true"], capture_output=True, check=False).returncode == 0:
        os.execvp(alone[0], [*alone, sys.executable, "-B", *sys.argv])


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def ends_with_its_parent():
    """Has a daemon killed when its parent ends; called between fork and exec."""
    import ctypes
    import signal

    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Cluster:
    def __init__(self, folder, nodes=4, gpus=2):
        self.folder = pathlib.Path(folder)
        self.nodes = [f"n{number + 1}" for number in range(nodes)]
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        for name in [
            name
            for name in self.environment
            if name.startswith(("SLURM_", "OMPI_", "PMI_", "PMIX_")) and name != "SLURM_CONF"
        ]:
            del self.environment[name]
        self.daemons = []
        self.write(gpus)

    def write(self, gpus):
        host = socket.gethostname()
        ports = free_ports(len(self.nodes) + 1)
        is_local = socket.gethostbyname(host).startswith("127.")
        user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
        for folder in ["state", *("spool-" + node for node in self.nodes)]:
            (self.folder / folder).mkdir()
        text = CONFIGURATION.format(
            host=host,
            port=ports[0],
            user=user,
            folder=self.folder,
            loopback="CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\n" if is_local else "",
        )
        address = "127.0.0.1" if is_local else socket.gethostbyname(host)
        for node, port in zip(self.nodes, ports[1:]):
            text += f"NodeName={node} NodeHostname={host} NodeAddr={address} Port={port} CPUs=8 Gres=gpu:{gpus}\n"
        text += f"PartitionName=all Nodes={','.join(self.nodes)} Default=YES\n"
        (self.folder / "slurm.conf").write_text(text)
        devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random"][:gpus]
        (self.folder / "gres.conf").write_text("Name=gpu File=" + ",".join(devices) + "\n")

    def start(self):
        """Returns once all nodes are idle; otherwise raises with the end of the controller's log."""
        self.daemon("slurmctld", "-D")
        for node in self.nodes:
            self.daemon("slurmd", "-D", "-N", node)
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if len(self.ask("sinfo", "-hN", "-t", "idle", "-o", "%N").split()) == len(self.nodes):
                return
            time.sleep(0.2)
        log = (self.folder / "slurmctld.log").read_text(errors="replace")
        self.stop()
        raise RuntimeError("the cluster did not start: " + log[-2000:])

    def daemon(self, *command):
        with (self.folder / (command[0] + ".log")).open("ab") as log:
            self.daemons.append(
                subprocess.Popen(command, stdout=log, stderr=log, env=self.environment, preexec_fn=ends_with_its_parent)
            )

    def ask(self, *command):
        try:
            return subprocess.run(
                command, env=self.environment, capture_output=True, text=True, timeout=15, check=False
            ).stdout
        except subprocess.TimeoutExpired:
            return ""

    def stop(self):
        """Ends the jobs first, because daemons that end leave their tasks behind."""
        if self.daemons and self.daemons[0].poll() is None:
            self.ask("scancel", "-u", str(os.getuid()))
            end = time.monotonic() + 40
            while self.ask("squeue", "-h", "-o", "%i").split() and time.monotonic() < end:
                time.sleep(0.2)
            self.ask("scontrol", "shutdown")
        for daemon in self.daemons:
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []
