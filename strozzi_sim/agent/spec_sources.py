"""The sources of an agent: the code and the files that decide what it does, their digest, and those that travel with it."""

import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from strozzi_sim.agent.declare import Agent
from strozzi_sim.agent.parameters import GivenFile
from strozzi_sim.agent.reached_modules import Reached, reached_from
from strozzi_sim.agent.reached_values import digest_of_values
from strozzi_sim.agent.sent_files import SentFile, place_of
from strozzi_sim.agent.spec_text import split_file


class SpecSources:
    """The part of an AgentSpec that knows its sources."""

    text: str
    agent: Agent
    values: Any
    builtin: Any
    policies: Any
    in_code: Any

    @property
    def _given_files(self) -> list[tuple[GivenFile, str]]:
        """Files among its parameters, and their values."""
        params = self.agent.params.items()
        return [(param, str(self.values[key])) for key, param in params if isinstance(param, GivenFile)]

    @property
    def source_digest(self) -> str | None:
        """SHA-256 of the files that declare it and its policies, of their `files`, and of the user's modules they import.

        Of an agent declared in code, of all that its functions reach instead (`reached_values`). With the files among its
        parameters. None for built-in agents without such files, whose behaviour has a version. See `undigested`.
        """
        sources = [] if self.builtin else [file.read_bytes() for file in self._files() if file.is_file()]
        if self.in_code:
            sources += [digest_of_values(self._functions)[0].encode()]
        sources += [part.encode() for each in self._reached.contents.items() for part in each]
        sources += [digest.encode() for policy in self.policies if (digest := policy.source_digest)]
        sources += [param.digest(value).encode() for param, value in self._given_files]
        return sha256(b"".join(sha256(source).digest() for source in sources)).hexdigest() if sources else None

    @property
    def undigested(self) -> tuple[str, ...]:
        """What its code uses, its policies' too, whose changes cannot be detected, as text."""
        own = digest_of_values(self._functions)[1] if self.in_code else self._reached.unknown
        return tuple(dict.fromkeys([*own, *(each for policy in self.policies for each in policy.undigested)]))

    @property
    def _functions(self) -> list[Any]:
        """What an agent that is declared in code consists of."""
        agent = self.agent
        return [agent.function, agent.memory, agent.evaluation, agent.probabilities]

    @property
    def _reached(self) -> Reached:
        """The user's modules that its file, or its module in a package, imports."""
        file = next(iter(self._files()), None)
        if self.builtin or self.in_code or file is None or not file.is_file():
            return Reached({}, ())
        given = split_file(self.text)[0]
        module = None if given else sys.modules.get(self.agent.function.__module__)
        return reached_from(
            file.read_bytes(), given or self.agent.function.__module__, getattr(module, "__package__", "") or ""
        )

    def _files(self) -> list[Path]:
        """Return the file that declares it and those that it declares; of an agent declared in code the latter alone."""
        given = split_file(self.text)[0]
        module = sys.modules.get(self.agent.function.__module__)
        file = place_of(given) if given else getattr(module, "__file__", None)
        if self.in_code:
            return [(Path(file).parent if file else Path()) / name for name in self.agent.files]
        return [Path(file), *(Path(file).parent / name for name in self.agent.files)] if file else []

    @property
    def sent_files(self) -> tuple[SentFile, ...]:
        """The files named by its spec string and by its policies, which go with it to another machine."""
        given = split_file(self.text)[0]
        named = zip((Path(given).name, *self.agent.files), self._files(), strict=True) if given else ()
        contents = tuple((name, file.read_bytes()) for name, file in named if file.is_file())
        own = [SentFile(given, contents)] if contents else []
        own += [
            SentFile(path, ((Path(path).name, place_of(path).read_bytes()),)) for _, path in self._given_files if path
        ]
        return tuple(dict.fromkeys([*own, *(file for policy in self.policies for file in policy.sent_files)]))
