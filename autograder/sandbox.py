"""A box for code that nobody has read: what it can see, what it can use, and how it ends.

    with Sandbox.find(require=True).start(stage, "worker.py") as box:
        box.channel.sendall(b"...")

The box is bubblewrap's where Linux has it: no network, no file but Python, the packages and the
stage, one process tree that dies at once and as a whole.  Without bubblewrap (kind "none") the same
program runs under the same limits and sees everything its user sees; `description` says so.

Needs util-linux (prlimit, setpriv), which every Linux distribution installs.
"""

from __future__ import annotations

import functools
import json
import os
import secrets
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .course import ROOT

PACKAGES = "COURSE_PACKAGES"    # variable with folders for sys.path: python -I finds no others
MARK = "COURSE_BOX"             # variable by which kind "none" knows the processes of a box

NEEDED = ("torch", "triton", "numpy", "matplotlib", "ipywidgets")
POLL = 0.1                      # seconds between two looks of the watch
GONE = 30                       # seconds within which a killed box must be gone
ADDRESS_SPACE = 16 << 30        # bytes one process may reserve; CUDA reserves far more than it uses
STAGE, SCRATCH = "/.stage", "/tmp"      # where bubblewrap's box has them
NOBODY = 65534                  # user and group in a box
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")


class SandboxMissing(Exception):
    """There is no sandbox here.  The text says what is missing and the command that fixes it."""


@dataclass(frozen=True)
class Limits:
    """What one box may use, all its processes together.

    memory     bytes resident, and in scratch files; what a fork shares counts for each process
    processes  processes alive at once, however many threads they have
    file       bytes of one file; in bubblewrap also of the whole scratch folder
    """

    memory: int = 4 << 30
    processes: int = 64
    file: int = 256 << 20

    def command(self, tasks: int, gpu: bool) -> list[str]:
        """Starts a program under the limits that the kernel keeps by itself.

        They are looser than those of the watch: threads count, `tasks` run outside the box.
        """
        space = [] if gpu else [f"--as={ADDRESS_SPACE}"]
        return ["prlimit", "--core=0", "--nofile=1024", f"--fsize={self.file}",
                f"--nproc={8 * self.processes + tasks}", *space, "--"]


# --- what the box can see -----------------------------------------------------------------------


def _both(paths: Iterable[Path | str]) -> set[Path]:
    """Existing absolute paths, as written and with symbolic links resolved."""
    found = [Path(path) for path in paths if path and os.path.isabs(path) and os.path.exists(path)]
    return {Path(os.path.normpath(path)) for path in found} | {path.resolve() for path in found}


def _private() -> set[Path]:
    """The home folder and the repository: never visible, nor any folder that contains them."""
    return _both([Path.home(), *([ROOT] if (ROOT / "pyproject.toml").is_file() else [])])


def _packages() -> tuple[set[Path], list[str]]:
    """Folders to show for `NEEDED`, and those to put on the path."""
    shown, path = set(), []
    for name in NEEDED:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        package = Path(spec.origin).parent
        site = package.parent
        whole = not any(private.is_relative_to(site) for private in _private())
        shown |= _both([site if whole else package])
        if str(site) not in path:
            path.append(str(site))
    return shown, path


def _python() -> set[Path]:
    """Folders without which this Python does not start: a venv's own and those it points to."""
    executable = Path(sys.executable).resolve()
    shown = set()
    for prefix in _both([sys.prefix, sys.base_prefix, executable.parent.parent]):
        if any(private.is_relative_to(prefix) for private in _private()):
            parts = ("bin", "lib", "lib64", "include", "pyvenv.cfg")
            shown |= {prefix / part for part in parts if (prefix / part).exists()}
        else:
            shown.add(prefix)
    return shown


def _drivers() -> set[Path]:
    """Folders of the GPU's driver libraries, which may lie outside /usr."""
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)
    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:/bin:/usr/bin")
    if ldconfig:
        known = subprocess.run([ldconfig, "-p"], capture_output=True, text=True, check=False).stdout
        folders += [os.path.dirname(line.split("=>")[1].strip()) for line in known.splitlines()
                    if "libcuda.so" in line or "libnvidia" in line]
    system = [Path(name) for name in SYSTEM]        # shown in any case, often as links
    return {folder for folder in _both(folders)
            if not any(private.is_relative_to(folder) for private in _private())
            and not any(folder.is_relative_to(name) for name in system)}


def _mounts(shown: set[Path]) -> list[str]:
    """bwrap's arguments that show these folders, and hide what is private inside them."""
    hidden = _private() | _both([ROOT / "autograder", ROOT / "helpers"])
    made: dict[Path, bool] = {}             # is this folder shown?  Outer folders come first.
    arguments, empty = [], []
    for path in sorted(shown | hidden, key=lambda path: (len(path.parts), path)):
        around = [folder for folder in made if path.is_relative_to(folder)]
        visible = bool(around) and made[around[-1]]
        if path in hidden and visible:
            arguments += ["--tmpfs", str(path)]
            empty += ["--remount-ro", str(path)]
            made[path] = False
        elif path not in hidden and not visible:
            for parent in reversed(path.parents[:-1]):      # bwrap itself makes them 0700
                if not any(parent.is_relative_to(folder) for folder in around):
                    arguments += ["--dir", str(parent)]
            arguments += ["--ro-bind", str(path), str(path)]
            made[path] = True
    return arguments + empty


def _system(gpu: bool, size: list[str]) -> list[str]:
    """bwrap's arguments for the folders of the operating system and for devices."""
    arguments = ["--proc", "/proc", "--dev", "/dev", "--perms", "1777", *size, "--tmpfs",
                 "/dev/shm"]
    for name in SYSTEM:
        if os.path.islink(name):
            arguments += ["--symlink", os.readlink(name), name]
        elif os.path.isdir(name):
            arguments += ["--ro-bind", name, name]
    readable = ["/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives",
                "/sys/devices/system"]          # torch asks there which instructions the CPU has
    if gpu:
        readable += ["/sys/devices", "/sys/module", "/sys/bus/pci",
                     *map(str, sorted(Path("/etc").glob("nvidia*")))]
        for device in [*sorted(Path("/dev").glob("nvidia*")), Path("/dev/dxg")]:    # dxg: WSL
            arguments += ["--dev-bind-try", str(device), str(device)]
    for parent in ("/etc", "/sys", "/sys/bus", "/sys/devices"):
        arguments += ["--dir", parent]
    for name in readable:
        arguments += ["--ro-bind-try", name, name]
    return arguments


# --- what the box can ask of the kernel ---------------------------------------------------------

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

# Calls that take memory which belongs to no process (so the watch cannot see it), reach into
# other processes, or open parts of the kernel that a kernel author has no use for.
_REFUSED = {
    "x86_64": {"memfd_create": 319, "memfd_secret": 447, "shmget": 29, "msgget": 68, "semget": 64,
               "unshare": 272, "setns": 308, "clone3": 435, "ptrace": 101,
               "process_vm_readv": 310, "process_vm_writev": 311, "add_key": 248,
               "request_key": 249, "keyctl": 250, "bpf": 321, "perf_event_open": 298,
               "userfaultfd": 323, "io_uring_setup": 425},
    "aarch64": {"memfd_create": 279, "memfd_secret": 447, "shmget": 194, "msgget": 186,
                "semget": 190, "unshare": 97, "setns": 268, "clone3": 435, "ptrace": 117,
                "process_vm_readv": 270, "process_vm_writev": 271, "add_key": 217,
                "request_key": 218, "keyctl": 219, "bpf": 280, "perf_event_open": 241,
                "userfaultfd": 282, "io_uring_setup": 425},
}
_CLONE = {"x86_64": 56, "aarch64": 220}
_NEW_USER = 0x10000000          # flag of clone: a user namespace, in which one is root


def _filter(machine: str) -> bytes | None:
    """A seccomp program that answers the refused calls with "no such call"; None: not for this CPU.

    Libraries take that answer for an old kernel and do without; clone3, whose flags a filter
    cannot read, becomes clone.
    """
    if machine not in _ARCHITECTURES:
        return None
    load, equal, at_least, bits, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, kill, refuse = 0x7FFF0000, 0x80000000, 0x00050000 | 38       # 38: ENOSYS
    program = [(load, 0, 0, 4), (equal, 1, 0, _ARCHITECTURES[machine]), (answer, 0, 0, kill),
               (load, 0, 0, 0)]
    if machine == "x86_64":     # the same calls again, under the numbers of the x32 ABI
        program += [(at_least, 0, 1, 0x40000000), (answer, 0, 0, refuse)]
    for number in _REFUSED[machine].values():
        program += [(equal, 0, 1, number), (answer, 0, 0, refuse)]
    program += [(equal, 0, 3, _CLONE[machine]), (load, 0, 0, 16), (bits, 0, 1, _NEW_USER),
                (answer, 0, 0, refuse), (answer, 0, 0, allow)]
    return b"".join(struct.pack("HBBI", *line) for line in program)


# --- who is in the box --------------------------------------------------------------------------


class _Namespace:
    """The processes of a bubblewrap box, seen through the box's own /proc."""

    def __init__(self, first: int):
        self._first, self._pidfd, self._proc = first, os.pidfd_open(first), None

    def members(self) -> list[str]:
        """Their folders in /proc, without bubblewrap's own process."""
        if self._proc is None:
            self._proc = self._open()
        return [] if self._proc is None else [
            f"/proc/self/fd/{self._proc}/{name}" for name in os.listdir(self._proc)
            if name.isdigit() and name != "1"]

    def _open(self) -> int | None:
        """The box's /proc; None as long as it is not mounted, when its root is still the host's."""
        root = f"/proc/{self._first}/root/proc"
        try:
            own = os.stat(f"/proc/{self._first}/ns/pid")
            if os.path.samestat(own, os.stat("/proc/self/ns/pid")):
                return None
            if not os.path.samestat(own, os.stat(f"{root}/1/ns/pid")):
                return None
            return os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            return None

    def files(self) -> int:
        """Bytes of files in the box's scratch folders, which are memory."""
        total = 0
        for folder in (SCRATCH, "/dev/shm") if self._proc is not None else ():
            try:
                disk = os.statvfs(f"/proc/{self._first}/root{folder}")
            except OSError:
                break           # it has just ended
            total += (disk.f_blocks - disk.f_bfree) * disk.f_frsize
        return total

    def strike(self) -> None:
        """The kernel ends a whole process namespace with its first process."""
        try:
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def close(self) -> None:
        for fd in (self._pidfd, self._proc):
            if fd is not None:
                os.close(fd)


class _Family:
    """The processes of a box without bubblewrap: the tree, and whoever carries the box's mark.

    A process that leaves the tree and starts a program without the mark is lost.
    """

    def __init__(self, process: subprocess.Popen, mark: str, scratch: str):
        self._process, self._scratch = process, scratch
        self._mark = f"{MARK}={mark}".encode()

    def members(self) -> list[str]:
        """Their folders in /proc."""
        parents, found = {}, set()
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                after_name = Path(f"/proc/{name}/stat").read_bytes().rpartition(b")")[2]
                state, parent = after_name.split()[:2]
                if state == b"Z":
                    continue
                parents[int(name)] = int(parent)
                if self._mark in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.add(int(name))
            except OSError:
                continue
        if self._process.returncode is None:        # else its number may be somebody else's by now
            found |= {self._process.pid} & set(parents)
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return [f"/proc/{pid}" for pid in found]

    def files(self) -> int:
        """0: its scratch folder lies on the disk, in the host's folder for temporary files."""
        return 0

    def strike(self) -> None:
        """Kill until nobody is left: who was just forked is found in the next round."""
        until = time.monotonic() + GONE
        while (members := self.members()) and time.monotonic() < until:
            for member in members:
                try:
                    os.kill(int(member.removeprefix("/proc/")), signal.SIGKILL)
                except OSError:
                    continue

    def close(self) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)


def _resident(folder: str) -> int:
    """Bytes of memory that a process holds and that no file could give back."""
    total = 0
    try:
        with open(f"{folder}/status") as status:
            for line in status:
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) << 10
    except OSError:
        pass                    # it has just ended
    return total


# --- a box, and where boxes come from -----------------------------------------------------------


class Box:
    """One program in the sandbox.  `channel` is the only way in and out of it.

    The thread that started a bubblewrap box must outlive it: the box dies with that thread.
    """

    def __init__(self, process: subprocess.Popen, channel: socket.socket,
                 group: _Namespace | _Family, limits: Limits):
        self.channel = channel
        self._process, self._group, self._limits = process, group, limits
        self._why: str | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._killed = threading.Event()
        threading.Thread(target=self._watch, name="sandbox watch", daemon=True).start()

    def kill(self) -> None:
        """End every process of the box and wait until they are gone.  May be called again.

        Raises RuntimeError where the kernel does not let one go, as a hanging driver can.
        """
        self._end("was ended by the examiner")

    def verdict(self) -> str | None:
        """Why the box ended, to be read after "Your code"; None as long as it is alive."""
        code = self._process.poll()
        if code is None:
            return None
        if self._why:
            return self._why
        # bwrap reports a signal as 128 + its number, Python as its negative.
        number = -code if code < 0 else code - 128
        try:
            name = signal.strsignal(number) if number > 0 else None
        except ValueError:
            name = None
        if name:
            return f"was ended by signal {number} ({name.lower()})"
        return f"exited with code {code}"

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *error) -> None:
        try:
            self.kill()
        finally:
            self.channel.close()

    def _end(self, why: str) -> None:
        with self._lock:
            if self._closed:
                return
            if self._process.poll() is None:
                self._why = self._why or why
            self._killed.set()
            self._group.strike()
            try:
                self._process.wait(GONE)
            except subprocess.TimeoutExpired:
                raise RuntimeError(f"the box did not end within {GONE} s of being killed") from None
            self._group.close()
            self._closed = True

    def _excess(self) -> str | None:
        members = self._group.members()
        if len(members) > self._limits.processes:
            return f"started more than {self._limits.processes} processes"
        if sum(map(_resident, members)) + self._group.files() > self._limits.memory:
            return f"used more than {self._limits.memory / 2**30:.3g} GB of memory"
        return None

    def _watch(self) -> None:
        while not self._killed.wait(POLL) and self._process.poll() is None:
            with self._lock:
                why = None if self._closed else self._excess()
            if why:
                try:
                    self._end(why)
                except RuntimeError:
                    return      # whoever waits for the box kills it again, and is told


@dataclass(frozen=True)
class Sandbox:
    """Starts boxes.

    kind         "bubblewrap" or "none"
    description  for reports: the version, or why there is none
    """

    kind: str
    description: str
    as_user: bool = True        # False: real root, each box under a user number of its own
    sized: bool = True          # does this bwrap know --size?

    @staticmethod
    def find(require: bool) -> Sandbox:
        """The best sandbox of this machine, tried once by running a Python in it.

        Raises SandboxMissing where `require` is set and there is none.
        """
        found = _find()
        if require and found.kind == "none":
            raise SandboxMissing(found.description.removeprefix("none (").removesuffix(")"))
        return found

    def start(self, stage: Path, program: str, arguments: Sequence[str] = (), gpu: bool = False,
              limits: Limits = Limits(), inherited: Sequence[int] = ()) -> Box:      # noqa: B008
        """Run `python -I <stage>/<program> <fd> <arguments...>` in a new box.

        The program also gets the descriptors `inherited`, under their own numbers.

        `fd` is the number of the program's end of `channel`.  The working folder is an empty
        scratch folder, also HOME; what it prints goes nowhere.  The program adds the folders
        in the variable COURSE_PACKAGES to its sys.path.  Root lets the group nobody read the
        stage.  Raises RuntimeError if bubblewrap does not start.
        """
        return self._start(Path(stage).resolve(), program, arguments, gpu, limits,
                           subprocess.DEVNULL, inherited)

    def _start(self, stage, program, arguments, gpu, limits, errors, inherited=()) -> Box:
        ours, theirs = socket.socketpair()
        with theirs:
            arguments = [str(theirs.fileno()), *arguments]
            launch = self._bubblewrap if self.kind == "bubblewrap" else self._plain
            try:
                return launch(stage, program, arguments, gpu, limits, errors, ours,
                              [theirs.fileno(), *inherited])
            except BaseException:
                ours.close()
                raise

    def _plain(self, stage, program, arguments, gpu, limits, errors, ours, passed) -> Box:
        scratch, mark = tempfile.mkdtemp(prefix="box-"), secrets.token_hex(8)
        process = subprocess.Popen(
            [*limits.command(_tasks(), gpu), sys.executable, "-I", str(stage / program),
             *arguments],
            env=_environment(scratch, gpu) | {MARK: mark}, cwd=scratch, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=errors, pass_fds=passed,
            start_new_session=True)
        return Box(process, ours, _Family(process, mark, scratch), limits)

    def _bubblewrap(self, stage, program, arguments, gpu, limits, errors, ours, passed) -> Box:
        user = NOBODY if self.as_user else 200_000 + secrets.randbelow(200_000)
        if not self.as_user:
            _readable(stage)
        told, tell = os.pipe()
        files = [tell, _file(f"learner:x:{user}:{NOBODY}::{SCRATCH}:/bin/false\n".encode()),
                 _file(f"learner:x:{NOBODY}:\n".encode())]
        call_filter = _filter(os.uname().machine)
        if call_filter:
            files.append(_file(call_filter))
        size = ["--size", str(limits.file)] if self.sized else []
        command = [
            shutil.which("bwrap"), "--unshare-pid", "--unshare-net", "--unshare-ipc",
            "--unshare-uts", "--unshare-cgroup-try", "--hostname", "box", "--die-with-parent",
            "--new-session", "--cap-drop", "ALL", "--info-fd", str(tell),
            *(["--unshare-user", "--uid", str(user), "--gid", str(NOBODY)] if self.as_user else
              # Root's limit on processes binds only after it has become somebody else.
              ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"]),
            "--perms", "1777", *size, "--tmpfs", SCRATCH, *_system(gpu, size),
            *_mounts(_both(["/usr"]) | _python() | _packages()[0] | (_drivers() if gpu else set())),
            "--ro-bind", str(stage), STAGE,
            "--ro-bind-data", str(files[1]), "/etc/passwd",
            "--ro-bind-data", str(files[2]), "/etc/group",
            *(["--seccomp", str(files[3])] if call_filter else []),
            "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--",
            *([] if self.as_user else
              ["setpriv", f"--reuid={user}", f"--regid={NOBODY}", "--clear-groups",
               "--inh-caps=-all", "--bounding-set=-all", "--no-new-privs", "--"]),
            *limits.command(_tasks() if self.as_user else 0, gpu),
            sys.executable, "-I", f"{STAGE}/{program}", *arguments]
        try:
            process = subprocess.Popen(
                command, env=_environment(SCRATCH, gpu), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors, pass_fds=[*passed, *files])
        except BaseException:
            os.close(told)
            raise
        finally:
            for fd in files:
                os.close(fd)
        try:
            with open(told) as answer:
                text = answer.read()        # bwrap closes its end once the box's first process is
            if not text:
                raise RuntimeError(f"bubblewrap did not start (exit code {process.wait()})")
            return Box(process, ours, _Namespace(json.loads(text)["child-pid"]), limits)
        except BaseException:
            process.kill()
            process.wait()
            raise


def _environment(scratch: str, gpu: bool) -> dict[str, str]:
    own = os.path.dirname(sys.executable)
    environment = {"PATH": f"{own}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
                   "HOME": scratch, "TMPDIR": scratch, "USER": "learner",
                   "TRITON_CACHE_DIR": f"{scratch}/triton", "LANG": "C.UTF-8",
                   "OMP_NUM_THREADS": "1", PACKAGES: os.pathsep.join(_packages()[1])}
    if not gpu:
        return environment | {"CUDA_VISIBLE_DEVICES": ""}
    passed = ("CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")
    return environment | {name: os.environ[name] for name in passed if name in os.environ}


def _file(content: bytes) -> int:
    """A descriptor from which `content` can be read."""
    fd = os.memfd_create("sandbox")
    os.write(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _readable(stage: Path) -> None:
    """Let the group NOBODY read the stage: in root's box the program is not its owner."""
    for path in [stage, *stage.rglob("*")]:
        if not path.is_symlink():
            os.chown(path, -1, NOBODY)
            path.chmod(path.stat().st_mode | (0o050 if path.is_dir() else 0o040))


def _tasks() -> int:
    """Threads that this user runs already: a limit on them counts those, too."""
    total = 0
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.stat(f"/proc/{name}").st_uid == os.geteuid():
                total += len(os.listdir(f"/proc/{name}/task"))
        except OSError:
            continue
    return total


# --- looking for bubblewrap ---------------------------------------------------------------------

_PROBE = """\
import os, socket, sys
socket.socket(fileno=int(sys.argv[1])).sendall(b"here" * os.path.exists("/proc/self/status"))
"""


@functools.cache
def _find() -> Sandbox:
    if not shutil.which("prlimit"):
        raise SandboxMissing("prlimit is not installed: apt-get install util-linux")
    if not shutil.which("bwrap"):
        return Sandbox("none", "none (bubblewrap is not installed: apt-get install bubblewrap)")
    version = _output("bwrap", "--version").strip()
    sized = "--size" in _output("bwrap", "--help")
    if _filter(os.uname().machine) is None:
        version += f", no filter of system calls on {os.uname().machine}"
    candidates = [Sandbox("bubblewrap", version, True, sized)]
    if os.geteuid() == 0:
        candidates = [
            Sandbox("bubblewrap", version, False, sized),
            Sandbox("bubblewrap", f"{version}, processes of root: only watched, not limited by the "
                                  "kernel", True, sized)]
    for candidate in candidates:
        problem = _try(candidate)
        if problem is None:
            return candidate
    return Sandbox("none", f"none ({problem}: {_remedy()})")


def _output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def _try(candidate: Sandbox) -> str | None:
    """What goes wrong when a Python runs in this sandbox; None if nothing does."""
    with tempfile.TemporaryDirectory() as stage, tempfile.TemporaryFile("w+") as errors:
        Path(stage, "probe.py").write_text(_PROBE)
        try:
            with candidate._start(Path(stage).resolve(), "probe.py", (), False, Limits(),
                                  errors) as box:
                box.channel.settimeout(10)
                if box.channel.recv(4) == b"here":
                    return None
            problem = "no answer"
        except (OSError, RuntimeError) as error:
            problem = str(error)
        errors.seek(0)
        last = (errors.read().strip().splitlines() or [problem])[-1]
    return f"bubblewrap cannot make a box here, it says \"{last}\""


def _remedy() -> str:
    """The command that most likely lets bubblewrap work."""
    for setting, bad, command in (
            ("kernel/apparmor_restrict_unprivileged_userns", "1",
             "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"),
            ("kernel/unprivileged_userns_clone", "0",
             "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
            ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=10000")):
        try:
            if Path("/proc/sys", setting).read_text().strip() == bad:
                return command
        except OSError:
            continue
    return "in a container, start it with `docker run --privileged`"
