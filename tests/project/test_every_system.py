"""The code runs on every system and Python: what only some have is named in one module, and text has an encoding."""

import ast
import re

import pytest

from paths import ROOT
from sources import tree_of

SOURCES = sorted([*(ROOT / "strozzi_sim").rglob("*.py"), *(ROOT / "agents").rglob("*.py")])
SYSTEM = ROOT / "strozzi_sim" / "runtime" / "system.py"
MODULES = {"fcntl", "grp", "msvcrt", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty", "winreg"}
NAMES = re.compile(
    r"SIG(ALRM|CHLD|CONT|HUP|IO|KILL|PIPE|POLL|QUIT|STOP|TSTP|USR[12])|O_[A-Z]*(ASYNC|CLOEXEC|NOFOLLOW|DIRECTORY|NONBLOCK)|AF_UNIX|"
    r"(set|get)(itimer|pgid|pgrp|sid|e?uid|e?gid|loadavg)|alarm|pause|pthread_\w+|sig(wait|pending)|set_wakeup_fd|register_at_fork|"
    r"fork(pty)?|killpg|wait(pid|id|[34])|W(IF|EXIT)\w+|mkfifo|mknod|nice|openpty|pread|pwrite|l?chown|fchmod|sched_\w+|statvfs|sysconf|"
    r"uname|start_new_session|preexec_fn|process_group|pass_fds|dir_fd|epoll|kqueue"
)
# Removed from Python 3.12, 3.13 or 3.14, or deprecated there.
GONE = {
    "asynchat",
    "asyncore",
    "cgi",
    "crypt",
    "distutils",
    "imghdr",
    "imp",
    "pipes",
    "pkg_resources",
    "smtpd",
    "telnetlib",
}
GONE_NAMES = re.compile(r"utcnow|utcfromtimestamp|is_reserved|find_loader|Constant\.n|ByteString")
OF_PROCESSES = {"multiprocessing", "joblib", "loky", "concurrent"}
EXCUSED = {"joblib._dask.DaskDistributedBackend"}  # which has no public name
TEXTS = {"read_text": 0, "write_text": 1}  # position of the encoding
FILES = {"open", "fdopen", "NamedTemporaryFile", "TemporaryFile"}
OTHERS = {"os.open", "webbrowser.open", "Image.open", "book.open"}  # which open no text


def nodes(kind, sources=SOURCES):
    return [(file, node) for file in sources for node in ast.walk(tree_of(file)) if isinstance(node, kind)]


def imported(node):
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else [each.name for each in node.names]


def names_of(node):
    """The names of other modules that a node uses: an attribute, an imported name, a keyword."""
    if isinstance(node, ast.ImportFrom):
        return (
            []
            if (node.module or "").startswith(("strozzi_sim", "strozzi_agents"))
            else [each.name for each in node.names]
        )
    return [node.attr if isinstance(node, ast.Attribute) else node.arg or ""]


def found(sources, modules, names):
    """Return where a file imports one of the modules or uses one of the names."""
    at = [(file, node.lineno, name) for file, node in nodes(ast.Import | ast.ImportFrom, sources)
          for name in imported(node) if name.partition(".")[0] in modules]  # fmt: skip
    at += [(file, node.lineno, name) for file, node in nodes(ast.Attribute | ast.ImportFrom | ast.keyword, sources)
           for name in names_of(node) if names.fullmatch(name)]  # fmt: skip
    return [f"{file.name}:{line}: {name}" for file, line, name in at]


def test_what_only_some_systems_have_is_named_in_one_module():
    assert found([file for file in SOURCES if file != SYSTEM], MODULES, NAMES) == []
    assert len(found([SYSTEM], MODULES, NAMES)) > 10


def test_nothing_is_used_that_a_later_python_has_not():
    assert found(SOURCES, GONE, GONE_NAMES) == []


def test_no_private_name_of_a_library_of_processes_is_used():
    paths = {ast.unparse(node) for _, node in nodes(ast.Attribute)}
    paths |= {name for _, node in nodes(ast.Import) for name in imported(node)}
    paths |= {f"{node.module}.{each.name}" for _, node in nodes(ast.ImportFrom) for each in node.names}
    used = {path for path in paths if path.partition(".")[0] in OF_PROCESSES}
    assert used > {"concurrent.futures.ThreadPoolExecutor", "joblib.cpu_count"}
    assert {path for path in used if re.search(r"\.(_|externals|util\b|popen)", path)} <= EXCUSED


def lacks_encoding(call):
    """Return whether a call opens text, or reads that of a program, in the encoding of the machine."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    given = {each.arg for each in call.keywords}
    if name in ("run", "Popen", "check_output"):
        return bool({"text", "universal_newlines"} & given) and "encoding" not in given
    if name in TEXTS:
        return len(call.args) <= TEXTS[name] and "encoding" not in given
    if name not in FILES or {"encoding", None} & given or ast.unparse(call.func) in OTHERS:
        return False
    texts = [
        each.value
        for each in (*call.args[:2], *(each.value for each in call.keywords if each.arg == "mode"))
        if isinstance(each, ast.Constant)
    ]
    mode = next(
        (text for text in texts if re.fullmatch("[rwxabt+]+", str(text))), "w+b" if "Temporary" in name else "r"
    )
    return "b" not in mode


def test_text_is_in_no_encoding_of_the_machine():
    assert [f"{file.name}:{node.lineno}" for file, node in nodes(ast.Call) if lacks_encoding(node)] == []


@pytest.mark.parametrize(("code", "lacks"), [
    ("open(file)", True), ("path.open('w')", True), ("os.fdopen(1, 'w')", True), ("path.read_text()", True), ("path.write_text(text)", True),
    ("run(words, text=True)", True), ("open(file, 'rb')", False), ("os.fdopen(1, 'w', encoding='utf-8')", False), ("os.open(place, 0)", False),
    ("path.read_text('utf-8')", False), ("NamedTemporaryFile()", False), ("path.open('rb')", False), ("run(words)", False),
])  # fmt: skip
def test_what_counts_as_text_without_an_encoding(code, lacks):
    assert lacks_encoding(ast.parse(code, mode="eval").body) is lacks
