"""An interpreter as on a system without POSIX: put this folder on PYTHONPATH, for workers too.

What only POSIX has is missing for strozzi_sim and strozzi_agents. Other packages keep it, since they have been written for either system.
"""

import builtins
import os
import select
import signal
import socket
import sys
from types import ModuleType

MODULES = {"fcntl", "grp", "posix", "pwd", "resource", "syslog", "termios", "tty", "pty"}
NAMES = {
    os: "O_ASYNC O_CLOEXEC O_NOFOLLOW O_DIRECTORY O_NONBLOCK chown dir_fd fchmod fork forkpty geteuid getegid getgid getloadavg getpgid getpgrp getsid "
    "getuid killpg mkfifo nice openpty pread pwrite register_at_fork sched_getaffinity sched_setaffinity setpgid setsid statvfs sysconf uname wait4 waitid",
    signal: "SIGALRM SIGCHLD SIGHUP SIGIO SIGKILL SIGPIPE SIGPOLL SIGQUIT SIGSTOP SIGTSTP SIGUSR1 SIGUSR2 alarm getitimer pause pthread_kill "
    "pthread_sigmask set_wakeup_fd_ setitimer siginterrupt sigpending sigwait",
    select: "epoll poll",
    socket: "AF_UNIX",
}  # fmt: skip
PACKAGES = ("strozzi_sim", "strozzi_agents")


def without(module: ModuleType, names: str) -> ModuleType:
    """Return a copy of a module that has other attributes only."""
    copy = ModuleType(module.__name__)
    copy.__dict__.update({name: value for name, value in vars(module).items() if name not in names.split()})
    return copy


COPIES = {module.__name__: without(module, names) for module, names in NAMES.items()}
_import = builtins.__import__


def import_as_there(name, globals=None, locals=None, fromlist=(), level=0):
    """Import a module; the packages see copies, and no module of POSIX."""
    if (globals or {}).get("__name__", "").partition(".")[0] not in PACKAGES:
        return _import(name, globals, locals, fromlist, level)
    if name in MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}")
    imported = _import(name, globals, locals, fromlist, level)
    return COPIES.get(name, imported)


builtins.__import__ = import_as_there
sys.without_posix = True
