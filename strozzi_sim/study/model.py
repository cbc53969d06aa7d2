"""A study is one frozen value: the games to play, and their deals.

A study is built from keywords, from the keys of a TOML file, or from the JSON in a results folder, by one parser,
`Study.of`. The parser adds defaults, and does not change a complete study. So the JSON of a study is a study file, the
study's identity, and the entry in its results folder. Everything that follows from the fields is a property.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cache, cached_property
from itertools import product
from typing import Any, ClassVar, Self, get_type_hints

import msgspec

from strozzi_sim.agent import AgentSpec, check_lineup, names
from strozzi_sim.declare.figure_tables import Tables
from strozzi_sim.errors import (
    ArgumentError,
    as_argument_error,
    check_range,
    check_whole,
    pluralize,
    short_repr,
    suggest_names,
)
from strozzi_sim.facts.crosstabs import Crosstab
from strozzi_sim.facts.figures import Figure
from strozzi_sim.game import Game, find_game
from strozzi_sim.game.converting import built, converted, differences
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.variants import BASE, Variant, with_text_keys
from strozzi_sim.simulation.luck import MOST_REDRAWS, REDRAWS, LuckMethod
from strozzi_sim.simulation.match import Match
from strozzi_sim.simulation.seatings import seating_design
from strozzi_sim.stats.precision import CHUNKS_AT_MOST, FEWEST_IN_CHUNK, most_deals, reach
from strozzi_sim.study.cells import Cell, CellCounts, CountsOf, Headline
from strozzi_sim.study.kinds import kind_named
from strozzi_sim.study.look import VARIANTS, Look, Section
from strozzi_sim.study.verdict import Verdict
from strozzi_sim.study.wording import listed_counts, names_of_lineups, played_by

CHUNKS = 200  # default number of chunks of a cell
MOST_CHUNKS = 100_000
MOST_DEALS = 1_000_000_000
POINTS = 100  # a precision is in points of a share of wins
FEW = 8  # most names in a line
RESUMES = "so a results folder resumes only with trust_agents"


class PlayedAgent(msgspec.Struct, frozen=True):
    """An agent as it was when it played."""

    values: dict[str, Any]  # of its parameters
    source: str = ""  # digest of its code and files; "" for a built-in agent without given files
    undigested: tuple[str, ...] = ()  # names that its code uses and whose changes cannot be detected


@dataclass(frozen=True)
class Given:
    """The objects of which a study was made. Agents declared in code are nowhere else."""

    game: Game
    lineups: Sequence[tuple[AgentSpec, ...]]
    variants: Sequence[Variant]  # which know the settings or the file that made them


@dataclass(frozen=True, kw_only=True)
class Study:
    """The complete specification of the games to play. Each kind of study is a subclass, in its own file in `kinds`.

    Attributes:
        lineups: line-ups of one agent, which plays itself (in a tournament: the others), or of one for each player.
        variants: component data by name of the variant; the first is the one that others are compared with.
        deals: deals of every cell; with a precision the most that may be played.
        chunk_deals: deals of a chunk. Chunks are the unit of work, of storage and of intervals.
        search_deals: deals of line-ups with an agent that searches; 0: as the others.
        precision: half width, in points of a share of wins, at which play stops; 0: all deals are played.
        luck, luck_redraws: agent that evaluates positions to measure luck, or ""; redraws of each chance event.
        agents: the agents of the line-ups and of `luck`, and those that they name, as they were; by spec string.
        given: the objects of which the study was made, which its JSON leaves out; None: they are looked up when needed.
    """

    game: str
    players: tuple[int, ...]
    lineups: tuple[tuple[str, ...], ...]
    variants: dict[str, dict[str, Any]]
    deals: int
    chunk_deals: int
    search_deals: int = 0
    precision: float = 0.0
    seatings: str = "rotate"
    seed: int = 0
    luck: str = ""
    luck_redraws: int = REDRAWS
    behaviour: int
    agents: dict[str, PlayedAgent]
    given: Given | None = field(default=None, compare=False, repr=False)

    kind: ClassVar[str] = "study"  # as in a file
    usual_deals: ClassVar[int] = 1000
    most_chunks: ClassVar[int] = CHUNKS  # default number of chunks of a cell
    is_comparison: ClassVar[bool] = False  # whether headlines are differences even with one variant
    keeps_orders: ClassVar[bool] = False  # whether chunks count finishing orders instead of facts
    keeps_copies: ClassVar[bool] = False  # whether a line-up may be listed twice
    keeps_rows: ClassVar[bool] = False  # whether tables are made of rows of games and seats
    is_search: ClassVar[bool] = False  # whether it plays heats, studies that it chooses, instead of cells of its own
    fixed: ClassVar[str] = "a study with a precision or search_deals"  # which studies of the kind cannot grow
    has_pages: ClassVar[bool] = False  # whether the pages and heat maps of the game are counted and shown
    printed: ClassVar[tuple[str, ...]] = ()  # tables that the terminal prints
    measured: ClassVar[tuple[Figure, ...]] = ()  # figures of its tables, beside those of every game

    def printed_tables(self, tables: Mapping[str, Any]) -> dict[str, Any]:
        """Return the tables that the terminal prints, by name."""
        return {name: tables[name] for name in self.printed if name in tables}

    def plan(self) -> Iterator[tuple[int, tuple[AgentSpec, ...], Variant, str]]:
        """Yield players, line-up, variant and restriction of every cell, in order."""
        for (players, lineup), variant in product(self._fitting, self.variant_of.values()):
            yield players, lineup, variant, ""

    @property
    def variant_of(self) -> dict[str, Variant]:
        """The variants that are played, by name."""
        return self.listed_variants

    @property
    def reference(self) -> str:
        """Name of the variant that the others are compared with: the first."""
        return next(iter(self.variant_of))

    def facts(self, look: Look) -> tuple[Crosstab, ...]:
        """Return the facts that the tables need."""
        return ()

    def tables(self, counts: CountsOf, look: Look) -> dict[str, Any]:
        """Return the tables by name, from the counts of cells."""
        raise NotImplementedError

    def search(self, play_heat: Callable[["Study", Look], list[CellCounts]]) -> dict[str, Any]:
        """Return the tables of a search by name, from the heats that it plays."""
        raise NotImplementedError

    def headlines(self) -> list[Headline]:
        """Return the figures to which a precision applies: wins and changes of them, in the cells with most deals."""
        cells = [cell for cell in self.cells if not cell.without]
        reference = {(cell.players, cell.lineup): cell for cell in cells if cell.variant == self.reference}
        largest_deals, headlines = max((cell.deals for cell in cells), default=0), list[Headline]()
        for cell in (cell for cell in cells if cell.deals == largest_deals):
            reference_cell, by = reference[cell.players, cell.lineup], "seat" if cell.selfplay else "position"
            for level in range(cell.players):
                headlines += [Headline(cell, by, level, other) for other in (None, reference_cell) if other is not cell]
        return headlines

    def is_known(self, low: float, value: float, high: float) -> bool:
        """Return whether the interval of a headline reaches no further from its value than the precision."""
        return bool(reach(value, low, high) <= self.precision / POINTS)

    def verdict(self, tables: Tables, look: Look) -> Verdict:
        """Return the answer of the study, and what is said with it."""
        raise NotImplementedError

    def sections(self, tables: Tables, look: Look) -> list[Section]:
        """Return the sections of the report; the first picture of the first one is shown with the verdict."""
        return []

    def check_document(self, tables: Tables) -> dict[str, Any] | None:
        """Return the outcome of a check, with the key `ok`, for exit code and JSON; None: this kind checks nothing."""
        return None

    @classmethod
    def usual_chunks(cls, keys: Mapping[str, Any]) -> int:
        """Return the default number of chunks of a cell of a study with these keys."""
        return cls.most_chunks

    def check(self) -> None:
        """Refuse values that this kind of study cannot play."""

    def check_look(self, look: Look) -> None:
        """Refuse names that the game lacks, an effect out of range, and keys of a look that do not fit this kind."""
        check_range("effect", look.effect, 0, 1)
        for key in () if self.chunks else ("rows", "facts"):
            if getattr(look, key):
                raise ArgumentError(key, f"a {self.kind} keeps no rows")
        pages = set(look.pages or ()) - {"balance"}
        for key, given in {"pages": pages, "heatmaps": look.heatmaps, "heatmap": look.heatmap}.items():
            if given and not self.has_pages:
                raise ArgumentError(key, f"a {self.kind} has neither pages nor heat maps of its game")
        for named in (look.pages_in, look.maps_in, look.kept_in):
            named(self.the_game)
        answered = VARIANTS if self.has_pages else ""
        if self.kind != "balance" and look.question not in ("", answered):
            raise ArgumentError("question", f"a {self.kind} answers its own question{f', {answered}' * self.has_pages}")

    @classmethod
    def of(cls, **keys: Any) -> Self:
        """Return the study with these keys; agents may be objects, variants names or changes. Errors name the key.

        Called on `Study`, the key `kind` selects the kind; default: balance.

        >>> import strozzi_sim as ss
        >>> study = ss.Study.of(game="strozzi", players=[3, 4], deals=100, lineups=[["random"]])
        >>> study.summary
        'Strozzi, 3 and 4 players: random moves; 100 deals each, 200 games'
        """
        if cls is Study:
            study_of_kind: Self = kind_named(keys.pop("kind", "balance")).of(**keys)
            return study_of_kind
        known = [*cls.form().__struct_fields__, "kind", "chunks", "variant"]
        for key in keys:
            if key not in known:
                raise ArgumentError(key, f"unknown key of a {cls.kind}; {suggest_names(key, known)}")
        if missing := {"game", "lineups"} - keys.keys():
            raise ArgumentError(min(missing), "missing")
        game, is_complete = find_game(keys["game"]), {"agents", "behaviour", "variants"} <= keys.keys()
        if keys.get("precision") == 0 and not is_complete:
            raise ArgumentError("precision", "must be between 0.01 and 25, got 0; leave it out to play all deals")
        if keys.get("luck_redraws") is not None and not keys.get("luck") and not is_complete:
            raise ArgumentError("luck_redraws", "is for a study with luck; name an agent that evaluates positions")
        if (saved_behaviour := keys.get("behaviour", game.behaviour)) != game.behaviour:
            why = f"{game.name} has behaviour {game.behaviour} now, the study was played with {saved_behaviour}"
            raise ArgumentError("behaviour", why)
        if not isinstance(custom_variants := with_text_keys(keys.pop("variant", {})), Mapping):
            why = f"expected changes by name, got {short_repr(custom_variants)}; list names in variants"
            raise ArgumentError("variant", why)
        variants = names.listed_variants(game, keys.pop("variants", ["base"]), custom_variants, is_complete)
        lineups = names.listed_lineups(game, keys["lineups"])
        specs = {spec.text: spec for lineup in lineups for spec in lineup}
        agents_used = [*specs.values(), *(names.agents_named(game, keys["luck"], "luck") if keys.get("luck") else ())]
        spec_by_text = {agent.text: agent for spec in agents_used for agent in (*spec.policies, spec)}
        agents = {
            text: {"values": dict(spec.values), "source": spec.source_digest or "", "undigested": list(spec.undigested)}
            for text, spec in sorted(spec_by_text.items())
        }
        agents_now = msgspec.json.decode(msgspec.json.encode(agents))
        if is_complete and (difference := next(differences(keys["agents"], agents_now), "")):
            raise ArgumentError("agents", f"not as they were when the study was played: {difference}")
        texts = tuple(tuple(spec.text for spec in lineup) for lineup in lineups)
        keys |= {
            "game": game.name,
            "behaviour": game.behaviour,
            "players": names.player_counts(game, names.ALL if keys.get("players") is None else keys["players"]),
            "lineups": texts if cls.keeps_copies else tuple(dict.fromkeys(texts)),
            "variants": {variant.name: variant.components for variant in variants},
            "agents": agents,
        }
        keys |= cls._extent(keys, any(spec.searches for spec in specs.values()))
        keys = {name: value for name, value in keys.items() if name != "chunks" and value is not None}
        document = converted({**keys, "kind": cls.kind}, cls.form(), "study")
        study = cls(**msgspec.structs.asdict(document), given=Given(game, lineups, variants))
        study._check_values()
        study.check()
        return study

    @classmethod
    def _extent(cls, keys: Mapping[str, Any], has_search: bool) -> dict[str, int]:
        for name, most in (("deals", MOST_DEALS), ("chunks", MOST_CHUNKS), ("chunk_deals", MOST_DEALS)):
            if keys.get(name) is not None:
                check_whole(name, keys[name], 1, most)
        deals, chunks, search_deals = keys.get("deals"), keys.get("chunks"), keys.get("search_deals")
        if chunks and keys.get("chunk_deals"):
            raise ArgumentError("chunks", "is the number of chunks, chunk_deals their length; give one of them")
        if precision := keys.get("precision"):
            check_range("precision", precision, 0.01, 25)
            has_differences = cls.is_comparison or len(keys["variants"]) > 1
            needed, max_deals = most_deals(precision / POINTS, paired=has_differences), deals or MOST_DEALS
            usual_chunks = max(1, min(CHUNKS_AT_MOST, min(max_deals, needed) // FEWEST_IN_CHUNK))
            deals, chunks = min(max_deals, -(-needed // usual_chunks) * usual_chunks), chunks or usual_chunks
        deals = deals or cls.usual_deals
        if search_deals:
            check_whole("search_deals", search_deals, 1, deals)
        search_deals = search_deals if has_search and search_deals and search_deals < deals else 0
        chunks = min(chunks or cls.usual_chunks(keys), deals, search_deals or deals)
        size = keys.get("chunk_deals") or -(-deals // chunks)
        if -(-deals // size) > min(MOST_CHUNKS, search_deals or MOST_CHUNKS):
            raise ArgumentError("chunk_deals", f"{size} makes too many chunks of {search_deals or deals:,} deals")
        return {"deals": deals, "search_deals": search_deals, "chunk_deals": size}

    def _check_values(self) -> None:
        check_whole("seed", self.seed, 0, 2**53 - 1)
        for lineup in self.lineups:
            if len(lineup) > 1 and len(lineup) not in self.players:
                fits, agents = " or ".join(map(str, self.players)), f"{len(lineup)} agents ({', '.join(lineup)})"
                raise ArgumentError("lineups", f"{agents} fit no player count; give 1 agent, or {fits}")
        for players in self.players:
            seating_design(self.seatings, players)
        for players, specs in self._fitting:
            as_argument_error("lineups", check_lineup, specs, self.the_game, players)
        check_range("luck_redraws", self.luck_redraws, 1, MOST_REDRAWS)
        _ = self.how_luck
        if self.precision and self.search_deals and all(cell.deals == self.search_deals for cell in self.cells):
            raise ArgumentError("search_deals", "a precision needs a line-up that plays all deals; leave it out")

    def extended(self, deals: int) -> Self:
        """Return the study with another number of deals, in chunks of the same length."""
        check_whole("deals", deals, 1, MOST_DEALS)
        if deals != self.deals and not self.can_grow:
            raise ArgumentError("deals", f"{self.fixed} has its own; name another folder for other deals")
        return replace(self, deals=deals)

    @classmethod
    @cache
    def form(cls) -> type[msgspec.Struct]:
        """Return the type of a study of this kind in a file: its kind, and all fields except `given`."""
        types = get_type_hints(cls)
        in_file = [
            (each.name, types[each.name], msgspec.NODEFAULT if each.default is MISSING else each.default)
            for each in fields(cls)
            if each.name != "given"
        ]
        return msgspec.defstruct(
            cls.__name__, in_file, kw_only=True, forbid_unknown_fields=True, tag_field="kind", tag=cls.kind
        )

    @classmethod
    def shown(cls, document: Mapping[str, Any]) -> Self:
        """Return the study in a document, to be shown: agents are not looked up, and limits are not checked."""
        return cls(**msgspec.structs.asdict(msgspec.convert({**document, "kind": cls.kind}, built(cls.form()))))

    @property
    def json(self) -> bytes:
        """The study as JSON: its file, its identity, and its entry in a results folder."""
        form = self.form()
        return msgspec.json.encode(form(**{name: getattr(self, name) for name in form.__struct_fields__}))

    @property
    def hash(self) -> str:
        """SHA-256 of the study."""
        return hashlib.sha256(self.json).hexdigest()

    def look(self, **keys: Any) -> Look:
        """Return a look with these keys, named after the kind and the game."""
        return Look(name=f"{self.kind}-{self.game}".replace("_", "-"), **keys)

    @property
    def can_grow(self) -> bool:
        """Whether more deals extend the study: play cannot stop early, and all cells have the same deals."""
        return not (self.precision or self.search_deals)

    @cached_property
    def the_game(self) -> Game:
        """The game."""
        return self.given.game if self.given else find_game(self.game)

    @cached_property
    def specs(self) -> dict[str, AgentSpec]:
        """The agents of the line-ups by spec string."""
        lineups = self.given.lineups if self.given else names.listed_lineups(self.the_game, self.lineups)
        return {spec.text: spec for lineup in lineups for spec in lineup}

    @property
    def _fitting(self) -> Iterator[tuple[int, tuple[AgentSpec, ...]]]:
        """Every player count with the agents of every line-up that fits it."""
        for players, lineup in product(self.players, self.lineups):
            if len(lineup) in (1, players):
                yield players, tuple(self.specs[text] for text in lineup)

    @cached_property
    def listed_variants(self) -> dict[str, Variant]:
        """The variants of the field `variants`, by name."""
        given = self.given
        variants = given.variants if given else names.listed_variants(self.the_game, self.variants, {}, has_data=True)
        return {variant.name: variant for variant in variants}

    @cached_property
    def how_luck(self) -> LuckMethod | None:
        """The method of measuring luck; None if luck is not measured."""
        if not self.luck:
            return None
        (spec,) = names.agents_named(self.the_game, self.luck, "luck", self.players)
        return as_argument_error("luck", LuckMethod, spec, self.luck_redraws)

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The cells, in the order of `plan`."""
        cells: list[Cell] = []
        match_of_layout: dict[tuple[int, str], Match] = {}  # first match with a layout of counts, which others share
        for players, lineup, variant, without in self.plan():
            seatings = "rotate" if without and self.seatings in ("one", "spread") else self.seatings
            seatings = "one" if len(lineup) == 1 else seatings
            match = Match(self.the_game, players, lineup, variant, self.seed, seatings)
            match.count_like(match_of_layout.setdefault((players, variant.name), match))
            deals = self.search_deals if any(spec.searches for spec in lineup) else 0
            cells.append(Cell(len(cells), match, deals or self.deals, without))
        return tuple(cells)

    @property
    def chunks(self) -> int:
        """Number of chunks of every cell; 0 if a kind of study does not count in chunks."""
        return -(-self.deals // self.chunk_deals)

    def deals_of(self, cell: Cell, chunk: int) -> tuple[int, int]:
        """Return the first deal of a chunk and one past its last; cells with fewer deals have shorter chunks."""
        if cell.deals == self.deals:
            return chunk * self.chunk_deals, min((chunk + 1) * self.chunk_deals, self.deals)
        return chunk * cell.deals // self.chunks, (chunk + 1) * cell.deals // self.chunks

    @property
    def games(self) -> int:
        """Number of games of all cells; with a precision the most that may be played."""
        return sum(cell.deals * cell.match.games_per_deal for cell in self.cells)

    def first_chunks(self, chunks: int) -> Self:
        """Return the study of the first chunks alone."""
        search = chunks * self.search_deals // self.chunks
        return replace(self, deals=min(chunks * self.chunk_deals, self.deals), search_deals=search)

    @property
    def counts_answers(self) -> bool:
        """Whether answers are counted, because an agent replaces illegal ones."""
        return any(spec.agent.replaces for spec in self.specs.values())

    @property
    def summary(self) -> str:
        """The study in one line."""
        lineups = names_of_lineups(self.the_game, self.lineups, most=FEW)
        variants = listed([*self.boxes.values()]) if len(self.variant_of) <= FEW else f"{len(self.variant_of)} variants"
        variants = "" if set(self.variant_of) == {BASE} else f"; {variants}"
        what = f"{self.the_game.title}, {listed_counts(self.players)} players: {lineups}{variants}"
        deals, games = pluralize(self.deals, "deal"), pluralize(self.games, "game")
        return f"{what}; {'at most ' * bool(self.precision)}{deals}{' each' * (len(self.cells) > 1)}, {games}"

    @property
    def cast(self) -> str:
        """Who plays, as text."""
        return played_by(self.the_game, map(",".join, self.lineups))

    @property
    def boxes(self) -> dict[str, str]:
        """The variants in a sentence, by name."""
        return {name: name for name in self.variant_of}

    @property
    def warnings(self) -> list[str]:
        """Warnings of the variants and agents, one line each."""
        lines_of_variants = []
        for name, variant in self.variant_of.items():
            more = len(variant.warnings) - FEW
            lines = [*variant.warnings[:FEW], *([f"and {more} more"] if more > 0 else [])]
            lines_of_variants += [f"variant {name}: {line}" for line in lines]
        return [*lines_of_variants, *(f"{line}; {RESUMES}" for line in self.unknown_code)]

    @property
    def unknown_code(self) -> list[str]:
        """A line for each agent that uses code whose changes cannot be detected."""
        used = {text: agent.undigested for text, agent in self.agents.items() if agent.undigested}
        shown = {text: ", ".join(code[:FEW]) + " and more" * (len(code) > FEW) for text, code in used.items()}
        return [f"agent {text}: changes of {code} are not detected" for text, code in shown.items()]
