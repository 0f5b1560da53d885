"""What code in the box can see and use, and that nothing of it is left when the box is gone.

Where bubblewrap's box prevents something, the same program outside it shows that the test would
notice.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import textwrap
import time
from importlib import metadata
from pathlib import Path

import pytest

from autograder import sandbox
from autograder.course import ROOT
from autograder.sandbox import Limits, Sandbox, SandboxMissing

FOUND = Sandbox.find(require=False)
BARE = Sandbox("none", "none (for a test)")

PRELUDE = """\
import ctypes, json, os, signal, socket, sys, time
from pathlib import Path
channel = socket.socket(fileno=int(sys.argv[1]))
def tell(value):
    channel.sendall(json.dumps(value).encode() + b"\\n")
def refused(action, *arguments):
    try:
        action(*arguments)
    except OSError:
        return True
    return False
"""


def _may_mount():
    """Is this root with CAP_SYS_ADMIN, the power that root lacks in many containers?"""
    powers = re.search(r"CapEff:\s*(\w+)", Path("/proc/self/status").read_text())[1]
    return os.geteuid() == 0 and bool(int(powers, 16) >> 21 & 1)


def _sandbox(name):
    if name == "none":
        return BARE
    if FOUND.kind != "bubblewrap":
        pytest.skip(FOUND.description)
    if name == "as root" and not _may_mount():
        pytest.skip("needs root's powers")
    return Sandbox("bubblewrap", "for a test", name == "as user", FOUND.sized)


@pytest.fixture(params=["as user", "as root"])
def box(request):
    """Bubblewrap's sandbox, in each of the two ways to use it."""
    return _sandbox(request.param)


@pytest.fixture(params=["as user", "as root", "none"])
def any_box(request):
    """The same, and the one without bubblewrap."""
    return _sandbox(request.param)


@pytest.fixture
def start(tmp_path):
    """Starts a program, given as text, in a box; ends it with the test."""
    started = []

    def begin(where, program, *arguments, **options):
        stage = tmp_path / f"stage{len(started)}"
        stage.mkdir(mode=0o700)
        (stage / "program.py").write_text(PRELUDE + textwrap.dedent(program))
        started.append(where.start(stage, "program.py", arguments, **options))
        started[-1].channel.settimeout(30)
        return started[-1]

    yield begin
    for one in started:
        with one:
            pass


def answers(box, seconds=30):
    """All that the program told, once it and everybody who could still tell something is gone."""
    text, until = b"", time.monotonic() + seconds
    while part := box.channel.recv(1 << 16):
        text += part
        assert time.monotonic() < until, "somebody in the box is still alive"
    return [json.loads(line) for line in text.splitlines()]


def verdict(box, seconds=10):
    """The verdict, when there is one."""
    until = time.monotonic() + seconds
    while box.verdict() is None and time.monotonic() < until:
        time.sleep(0.02)
    return box.verdict()


# --- what it can see ----------------------------------------------------------------------------


def test_channel_works_both_ways(start, any_box):
    running = start(any_box, """
        tell([sys.argv[2:], channel.recv(100).decode()])
        channel.recv(100)
        sys.exit(3)
        """, "first", "second one")
    running.channel.sendall(b"hello")
    assert json.loads(running.channel.recv(1000)) == [["first", "second one"], "hello"]
    assert running.verdict() is None
    running.channel.sendall(b"end")
    assert answers(running) == []
    assert verdict(running) == "exited with code 3"
    running.kill()
    assert running.verdict() == "exited with code 3"


def test_nothing_is_inherited(start, any_box, monkeypatch):
    monkeypatch.setenv("COURSE_TOKEN", "secret")
    with open(__file__) as mine:
        os.set_inheritable(mine.fileno(), True)
        [[names, home, open_files, printed]] = answers(start(any_box, """
            tell([sorted(os.environ), os.environ["HOME"] == os.getcwd(),
                  [fd for fd in range(100) if not refused(os.fstat, fd)],
                  [os.path.realpath(f"/proc/self/fd/{fd}") for fd in range(3)]])
            """))
    assert not {"COURSE_TOKEN", "PYTHONPATH", "LD_LIBRARY_PATH"} & set(names)
    assert {"PATH", "HOME", "TMPDIR", "TRITON_CACHE_DIR", "LANG", "OMP_NUM_THREADS"} <= set(names)
    assert home
    assert len(open_files) == 4 and open_files[:3] == [0, 1, 2]
    assert printed == ["/dev/null"] * 3


NETWORK = """
    def reach():
        socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2).close()
    tell(refused(reach))
    """


def test_no_network(start, box):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        assert answers(start(BARE, NETWORK, port)) == [False]
        assert answers(start(box, NETWORK, port)) == [True]


SEES = "tell([path for path in sys.argv[2:] if os.path.lexists(path)])"


def test_nothing_private_is_visible(start, box, tmp_path):
    (tmp_path / "gradebook.db").touch()
    private = [tmp_path / "gradebook.db", *ROOT.iterdir(), *Path.home().iterdir(),
               ROOT / "helpers" / "kernels", "/etc/shadow", "/etc/hostname", "/var", "/run"]
    private = [str(path) for path in private if os.path.lexists(path)]
    assert answers(start(BARE, SEES, *private)) == [private]
    [seen] = answers(start(box, SEES, *private))
    shown = sandbox._python() | sandbox._packages()[0]
    needed = [path for path in private
              if any(folder.is_relative_to(path) or Path(path) in sandbox._private()
                     for folder in shown)]
    assert set(seen) <= set(needed)
    assert str(tmp_path / "gradebook.db") not in seen
    assert str(ROOT / "helpers") not in seen and str(ROOT / "solutions") not in seen


def test_private_folder_inside_a_shown_one_is_empty(start, box, monkeypatch):
    hide = Path("/usr/share").resolve()
    look = """
        tell([os.listdir(sys.argv[2]), os.path.exists("/usr/bin/env"),
              refused(Path(sys.argv[2], "new").touch)])
        """
    monkeypatch.setattr(sandbox, "_private", lambda: {hide})
    assert answers(start(box, look, str(hide))) == [[[], True, True]]


def test_packages_are_shown_one_by_one_in_a_private_folder(monkeypatch):
    whole, path = sandbox._packages()
    site = Path(sandbox.find_spec("torch").origin).parent.parent
    assert site in whole and site / "torch" not in whole
    monkeypatch.setattr(sandbox, "_private", lambda: {site})
    single, same = sandbox._packages()
    assert site not in single and site / "torch" in single
    assert path == same


def test_python_that_lies_in_a_private_folder_is_shown_in_parts(monkeypatch):
    prefix = Path(sys.prefix)
    assert prefix in sandbox._python()
    monkeypatch.setattr(sandbox, "_private", lambda: {prefix})
    assert prefix not in sandbox._python() and prefix / "bin" in sandbox._python()


def test_file_system_is_read_only(start, box):
    folders = ["/", "/usr", "/etc", "/dev", "/proc", "/sys/devices/system", sys.prefix,
               os.path.dirname(os.__file__), "$STAGE"]
    assert answers(start(box, """
        stage = str(Path(__file__).parent)
        tell([folder for folder in sys.argv[2:]
              if not refused(Path(folder.replace("$STAGE", stage), "new").touch)])
        """, *folders)) == [[]]


def test_host_processes_are_invisible(start, box):
    look = """
        tell([sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[-1] < 10,
              refused(os.kill, int(sys.argv[2]), 0)])
        """
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            assert answers(start(BARE, look, str(other.pid))) == [[False, False]]
            assert answers(start(box, look, str(other.pid))) == [[True, True]]
        finally:
            other.kill()


def test_no_powers(start, box):
    [[powers, user, calls]] = answers(start(box, """
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        powers = [int(status[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapBnd")]
        libc = ctypes.CDLL(None)
        tell([powers + [1 - int(status["NoNewPrivs"])], os.getuid(),
              {"user namespace": libc.unshare(0x10000000), "ptrace": libc.ptrace(0, 0, 0, 0),
               "memory of no process": refused(os.memfd_create, "x"),
               "shared memory": libc.shmget(0, 4096, 0o1600)}])
        """))
    assert powers == [0, 0, 0, 0, 0]
    assert user != 0
    assert calls == {"user namespace": -1, "ptrace": -1, "memory of no process": True,
                     "shared memory": -1}


def test_root_numbers_its_boxes_apart(start):
    root = _sandbox("as root")
    users = {answers(start(root, "tell(os.getuid())"))[0] for _ in range(3)}
    assert len(users) == 3 and min(users) >= 200_000


def test_torch_and_triton_work(start, any_box):
    [versions] = answers(start(any_box, """
        sys.path.extend(os.environ["COURSE_PACKAGES"].split(os.pathsep))
        import numpy, torch, triton
        tell([torch.__version__, triton.__version__, torch.cuda.is_available(),
              float(torch.from_numpy(numpy.ones(8)).sum())])
        """))
    assert versions == [metadata.version("torch"), metadata.version("triton"),
                        False, 8.0]


# --- what it can use ----------------------------------------------------------------------------


def test_scratch_is_writable_and_gone_afterwards(start, any_box):
    running = start(any_box, """
        import tempfile
        Path("note").write_text("mine")
        tell([os.path.realpath("note"), tempfile.mkdtemp().startswith(os.getcwd())])
        channel.recv(1)
        """)
    note, inside = json.loads(running.channel.recv(1000))
    assert inside
    assert os.path.exists(note) == (any_box is BARE)
    running.kill()
    assert not os.path.exists(note)
    assert answers(start(any_box, "tell(os.path.exists('note'))")) == [False]


def test_memory_hog(start, any_box):
    running = start(any_box, """
        held = []
        for _ in range(100):
            held.append(bytearray(b"x" * (10 << 20)))
            time.sleep(0.01)
        """, limits=Limits(memory=300 << 20))
    assert answers(running) == []
    assert verdict(running) == "used more than 0.293 GB of memory"


def test_memory_of_all_processes_counts(start, any_box):
    running = start(any_box, """
        for _ in range(6):
            if os.fork() == 0:
                break
        held = bytearray(b"x" * (50 << 20))
        time.sleep(60)
        """, limits=Limits(memory=200 << 20))
    assert answers(running) == []
    assert verdict(running) == "used more than 0.195 GB of memory"


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_files_in_scratch_are_memory(start, box, folder):
    running = start(box, """
        for i in range(8):
            Path(sys.argv[2], str(i)).write_bytes(bytes(10 << 20))
        time.sleep(60)
        """, folder, limits=Limits(memory=64 << 20))
    assert answers(running) == []
    assert verdict(running) == "used more than 0.0625 GB of memory"


def test_scratch_is_limited(start, box):
    if not FOUND.sized:
        pytest.skip("this bubblewrap knows no sizes: the watch alone counts")
    fill = """
        def fill():
            for i in range(8):
                Path(sys.argv[2], str(i)).write_bytes(bytes(2 << 20))
        tell(refused(fill))
        """
    for folder in ("/tmp", "/dev/shm"):
        assert answers(start(box, fill, folder, limits=Limits(file=10 << 20))) == [True]
        assert answers(start(box, fill, folder, limits=Limits(file=20 << 20))) == [False]


def test_file_size(start, any_box):
    [[refusal, size]] = answers(start(any_box, """
        with open("large", "wb", buffering=0) as file:
            def grow():
                for _ in range(32):
                    file.write(bytes(1 << 20))
            tell([refused(grow), os.path.getsize("large")])
        """, limits=Limits(file=8 << 20)))
    assert refusal and size == 8 << 20


def test_many_processes(start, any_box):
    running = start(any_box, """
        for _ in range(30):
            if os.fork() == 0:
                time.sleep(60)
        time.sleep(60)
        """, limits=Limits(processes=16))
    assert answers(running) == []
    assert verdict(running) == "started more than 16 processes"


def test_threads_are_not_processes(start, any_box):
    assert answers(start(any_box, """
        import threading
        for _ in range(40):
            threading.Thread(target=time.sleep, args=[0.5]).start()
        tell("done")
        """, limits=Limits(processes=8))) == ["done"]


BOMB = """
    while True:
        try:
            os.fork()
        except OSError:
            pass
    """


def test_fork_bomb(start, box):
    began = time.monotonic()
    running = start(box, BOMB, limits=Limits(processes=16))
    assert answers(running) == []
    assert verdict(running) == "started more than 16 processes"
    assert time.monotonic() - began < 10


def test_kernel_stops_a_fork_bomb_that_nobody_watches(start, monkeypatch):
    root = _sandbox("as root")
    monkeypatch.setattr(sandbox, "POLL", 60)
    running = start(root, """
        started = 0
        try:
            while started < 1000:
                if os.fork() == 0:
                    time.sleep(60)
                started += 1
        except BlockingIOError:
            pass
        tell(started)
        """, limits=Limits(processes=4))
    assert 16 < json.loads(running.channel.recv(100)) <= 32


def test_watch_does_not_count_the_host_before_the_box_is_set_up():
    _sandbox("as user")         # skips where nobody may make namespaces
    with subprocess.Popen(["unshare", "--user", "--pid", "--fork", "--kill-child",
                           "sleep", "30"]) as outer:
        try:
            until = time.monotonic() + 5
            inner = []
            while not inner and time.monotonic() < until:
                inner = [int(path.removeprefix("/proc/"))
                         for path in sandbox._Family(outer, "no mark", "").members()
                         if path != f"/proc/{outer.pid}"]
            group = sandbox._Namespace(inner[0])
            assert group.members() == []
            group.close()
        finally:
            outer.kill()


def test_output_flood_is_harmless(start, any_box):
    assert answers(start(any_box, """
        for _ in range(300):
            os.write(1, bytes(1 << 20))
            os.write(2, bytes(1 << 20))
        tell("done")
        """)) == ["done"]


# --- how it ends --------------------------------------------------------------------------------


def test_endless_loop(start, any_box):
    running = start(any_box, """
        for number in range(1, 65):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        tell("looping")
        while True:
            pass
        """)
    assert json.loads(running.channel.recv(100)) == "looping"
    assert running.verdict() is None
    began = time.monotonic()
    running.kill()
    assert time.monotonic() - began < 1
    assert running.verdict() == "was ended by the examiner"
    running.kill()


@pytest.mark.parametrize("parent_ends", [True, False])
def test_daemon_dies_with_the_box(start, any_box, parent_ends):
    running = start(any_box, """
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
                for _ in range(200):
                    tell("alive")
                    time.sleep(0.05)
            os._exit(0)
        os.wait()
        time.sleep(0 if sys.argv[2] == "True" else 60)
        """, str(parent_ends))
    if not parent_ends or any_box is BARE:
        assert running.channel.recv(8) == b'"alive"\n'
        time.sleep(0.2)
        running.kill()
    # An end of the channel comes only when nobody holds its other side any more.
    assert set(answers(running, seconds=2)) <= {"alive"}


@pytest.mark.parametrize("program, words", [
    ("os.kill(os.getpid(), signal.SIGSEGV)", "was ended by signal 11 (segmentation fault)"),
    ("ctypes.string_at(1)", "was ended by signal 11 (segmentation fault)"),
    ("os.kill(os.getpid(), signal.SIGKILL)", "was ended by signal 9 (killed)"),
    ("raise ValueError", "exited with code 1"),
    ("os._exit(200)", "exited with code 200"),
    ("pass", "exited with code 0"),
])
def test_how_it_ended_is_said(start, any_box, program, words):
    running = start(any_box, program)
    assert answers(running) == []
    assert verdict(running) == words


def test_box_dies_with_its_examiner(box, tmp_path):
    (tmp_path / "loop.py").write_text(
        PRELUDE + "tell('started')\nuntil = time.time() + 20\nwhile time.time() < until: pass\n")
    token = f"token-{time.time_ns()}"
    examiner = f"""
        import os
        from pathlib import Path
        from autograder.sandbox import Sandbox
        where = Sandbox("bubblewrap", "", {box.as_user}, {box.sized})
        running = where.start(Path({str(tmp_path)!r}), "loop.py", [{token!r}])
        print(running.channel.recv(100), flush=True)
        os.kill(os.getpid(), 9)
        """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(examiner)], cwd=ROOT,
                          stdout=subprocess.PIPE, timeout=30, check=False)
    assert b"started" in done.stdout

    def alive():
        for command in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if token.encode() in command.read_bytes():
                    return True
            except OSError:
                continue
        return False

    until = time.monotonic() + 5
    while alive() and time.monotonic() < until:
        time.sleep(0.02)
    assert not alive()


# --- where there is none ------------------------------------------------------------------------


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """A PATH with prlimit and nothing else; looking for a sandbox starts anew."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "prlimit").symlink_to(shutil.which("prlimit"))
    monkeypatch.setenv("PATH", str(folder))
    sandbox._find.cache_clear()
    yield folder
    sandbox._find.cache_clear()


def test_missing_bubblewrap_is_said(tools, start):
    found = Sandbox.find(require=False)
    assert found.kind == "none"
    assert found.description == \
        "none (bubblewrap is not installed: apt-get install bubblewrap)"
    with pytest.raises(SandboxMissing, match="^bubblewrap is not installed: apt-get install b"):
        Sandbox.find(require=True)
    assert answers(start(found, "tell('works')")) == ["works"]


def test_bubblewrap_that_does_not_work_is_said(tools):
    (tools / "bwrap").write_text("#!/bin/sh\necho 'bwrap: Creating new namespace failed' >&2\n"
                                 "exit 1\n")
    (tools / "bwrap").chmod(0o755)
    found = Sandbox.find(require=False)
    assert found.kind == "none"
    assert "Creating new namespace failed" in found.description
    with pytest.raises(SandboxMissing, match="Creating new namespace failed.*: .*(sysctl|docker)"):
        Sandbox.find(require=True)


def test_root_falls_back_to_a_user_namespace(tools):
    if FOUND.kind != "bubblewrap" or not _may_mount():
        pytest.skip("needs root's powers and bubblewrap")
    (tools / "bwrap").write_text(
        "#!/bin/sh\ncase \"$*\" in *CAP_SETUID*) echo 'Operation not permitted' >&2; exit 1;; "
        f"esac\nexec {os.path.realpath('/usr/bin/bwrap')} \"$@\"\n")
    (tools / "bwrap").chmod(0o755)
    found = Sandbox.find(require=True)
    assert found.as_user and "root" in found.description
