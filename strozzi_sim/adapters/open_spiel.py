"""OpenSpiel games: importing this module registers `python_GAME` for every installed game that loads.

>>> import pyspiel
>>> import strozzi_sim.adapters.open_spiel
>>> game = pyspiel.load_game("python_strozzi(players=4)")
>>> state = game.new_initial_state()
>>> state.is_chance_node(), len(state.chance_outcomes())  # the first tile of the display
(True, 36)

Chance: every draw of a game is a chance node with equal probabilities. Returns: 1 for the only winner and
-1 / (players - 1) for the others; winners share. They add up to zero. A seat with one legal action has no node.
"""

from typing import Any

import numpy as np

from strozzi_sim.adapters.common import needs
from strozzi_sim.adapters.game_tree import DIGEST, Decision, Node, TreeGame
from strozzi_sim.errors import ArgumentError, InputError, short_repr
from strozzi_sim.game import default_players, installed_games
from strozzi_sim.game.contract import Game
from strozzi_sim.game.variants import BASE, AnyVariant, Variant, resolve_variant, shipped_variants

with needs("OpenSpiel", "openspiel"):
    import pyspiel

PREFIX = "python_"
_variants: dict[tuple[str, str], Variant] = {}  # variants given as data, by game and name


def load_game(game: str | Game, players: int | None = None, variant: AnyVariant = BASE) -> "OpenSpielGame":
    """Return a game for OpenSpiel, as `pyspiel.load_game` does; it may have a custom variant.

    `players` is by default 4, or the game's minimum; `variant` is the name of a shipped variant, changes under a new
    name, or a Variant. From then on `pyspiel.load_game` too knows a custom variant by its name, in this process.

    >>> load_game("medici_vs_strozzi", variant={"one-round": {"rounds": {"count": 1, "starter": ["Medici"]}}})
    python_medici_vs_strozzi(players=2,variant=one-round)
    """
    table = TreeGame(game, players, variant)  # checks the arguments: errors raised inside pyspiel hide those of Python
    name = table.variant.name
    if not isinstance(variant, str):
        is_shipped = name == BASE or name in shipped_variants(table.game)
        own = resolve_variant(table.game, name) if is_shipped else table.variant
        registered = _variants.setdefault((table.game.name, name), own)
        if registered.rules.tobytes() != table.variant.rules.tobytes():
            raise ArgumentError("variant", f"{name!r} is already the name of other changes; choose another name")
    spiel_game: OpenSpielGame = pyspiel.load_game(PREFIX + table.game.name, {"players": table.players, "variant": name})
    return spiel_game


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game for OpenSpiel, with the parameters `players` and `variant`; each installed game has a subclass."""

    game: Game  # the subclass of each game sets `game` and `game_type`
    game_type: Any

    def __init__(self, parameters: dict[str, Any]) -> None:
        game, name = self.game, parameters["variant"]
        self.table = TreeGame(game, parameters["players"], _variants.get((game.name, name), name))
        players = self.table.players
        utilities = {"min_utility": -1 / (players - 1), "max_utility": 1.0, "utility_sum": 0.0}
        sizes = {"max_chance_outcomes": self.table.largest_draw(), "max_game_length": game.journal_rows}
        info = pyspiel.GameInfo(num_distinct_actions=game.actions, num_players=players, **sizes, **utilities)
        super().__init__(self.game_type, info, parameters)

    def __reduce__(self) -> Any:
        table = self.table
        custom = (table.game.name, table.variant.name) in _variants
        return load_game, (table.game.name, table.players, table.variant if custom else table.variant.name)

    def new_initial_state(self) -> "OpenSpielState":
        """Return the first state: at the first draw of the deal, or the first decision if the deal draws nothing."""
        return OpenSpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the largest number of events of a game, which is taken as the limit of its draws."""
        return self.table.game.journal_rows

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "OpenSpielObserver":
        """Return an `OpenSpielObserver`; other kinds of observation raise InputError."""
        return OpenSpielObserver(self.table, iig_obs_type, params)


class OpenSpielState(pyspiel.State):  # type: ignore[misc]
    """A state for OpenSpiel: a decision, a draw of chance, or the end."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        self.node = game.table.start

    def current_player(self) -> int:
        """Return the acting seat, or PlayerId.CHANCE or PlayerId.TERMINAL."""
        if self.node.outcomes:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.node.over else self.node.actor

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.legal

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of the draw, 0 .. n - 1, each with probability 1 / n."""
        return [(outcome, 1 / self.node.outcomes) for outcome in range(self.node.outcomes)]

    def _apply_action(self, action: int) -> None:
        self.node = self.node.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE or self.node.decision is None:
            return f"source {self.node.source}: outcome {action}"
        decision = self.node.decision
        return str(decision.table.game.view.action_name(action, decision.view(max(player, 0))))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.node.over

    def returns(self) -> list[float]:
        """Return the utilities of all seats, which add up to zero; zeros before the end."""
        return self.node.payoffs()

    def resample_from_infostate(self, player_id: int, probability_sampler: Any) -> "OpenSpielState":
        """Return a state that `player_id` cannot distinguish from this one, with hidden information sampled.

        The seat's information state is equal. In a variant without secrets the result is a copy. Otherwise its game
        begins here, without a history: the information states of other seats lack what they saw earlier.

        Args:
            player_id: a seat.
            probability_sampler: function that returns a number in [0, 1).

        Raises:
            InputError: chance must draw here; no seat has seen the result of the last action yet.
        """
        decision = self.node.decision
        if decision is None or self.node.outcomes:
            raise InputError("resample_from_infostate: chance must draw first; call it where a seat decides")
        if not decision.table.variant.hidden:
            return self.clone()  # type: ignore[no-any-return]
        random_bits = sum(int(probability_sampler() * 2.0**32) << shift for shift in (0, 32))  # 64, from 2 numbers
        sampled = OpenSpielState(self.get_game())
        sampled.node = Node(decision.table, decision.imagine(player_id, random_bits), None, ())
        return sampled

    def __str__(self) -> str:
        node, decision = self.node, self.node.decision
        start, choices = node.history()
        beginning = "the deal" if start is None else "an imagined decision"
        lines = [f"{beginning}, then {' '.join(map(str, choices)) or 'nothing'}"]
        if decision is not None:
            lines.append(_board(decision, max(decision.actor, 0)))
        if node.outcomes:
            lines.append(f"chance draws one of {node.outcomes} of source {node.source}")
        return "\n".join(lines)


class OpenSpielObserver:
    """Observer of what one seat knows, as a tensor and as text.

    Attributes:
        tensor: float32[F], the game's observation; with perfect recall 8 more numbers in [0, 1), a digest of all that
            the seat has seen and done. The digest names the information state; it is not a feature to learn from.
        dict: views of the parts of the tensor, by name.
    """

    def __init__(self, table: TreeGame, observation_type: Any = None, parameters: Any = None) -> None:
        if parameters:
            raise InputError(f"observer: takes no parameters, got {short_repr(parameters)}")
        kind = observation_type or pyspiel.IIGObservationType(perfect_recall=False)
        if kind.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER or not kind.public_info:
            raise InputError("observer: must have public_info=True, private_info=SINGLE_PLAYER: what one seat knows")
        self._table, slices = table, table.game.slices
        self._perfect_recall = bool(kind.perfect_recall)
        digest_numbers = DIGEST // 2 if self._perfect_recall else 0  # each of two bytes
        self.tensor = np.zeros(slices.size + digest_numbers, np.float32)
        self.dict = {part.name: part.of(self.tensor[: slices.size]) for part in slices.parts}
        self._observation = self.tensor[: slices.size]
        if self._perfect_recall:
            self.dict["history"] = self.tensor[slices.size :]

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Fill `tensor` with what `player` knows, at a draw with what it knew before the action; zeros in the deal."""
        self.tensor.fill(0)
        decision = state.node.decision
        if decision is None:
            return
        self._table.kernels.observe(decision.state, self._table.variant.rules, player, self._observation)
        if self._perfect_recall:
            self.dict["history"][:] = np.frombuffer(decision.digest(player), "<u2") / 65536

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return the board as `player` sees it; with perfect recall the name of the information state instead."""
        decision = state.node.decision
        if decision is None:
            return f"seat {player}, before the deal"
        if self._perfect_recall:
            return f"seat {player}, having seen {decision.digest(player).hex()}"
        return f"seat {player}\n{_board(decision, player)}"


def _board(decision: Decision, seat: int) -> str:
    table, names = decision.table, [f"seat {seat}" for seat in range(decision.table.players)]
    return str(table.game.view.render(decision.view(seat), table.variant.components, names))


def _register(game: Game) -> None:
    game_type = pyspiel.GameType(
        short_name=PREFIX + game.name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.player_counts[-1],
        min_num_players=game.player_counts[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=False,
        parameter_specification={"players": default_players(game), "variant": BASE},
    )
    # A class for each game, not a closure or an instance: OpenSpiel refers to it even after the interpreter has ended.
    of_game = {"game": game, "game_type": game_type}
    pyspiel.register_game(game_type, type(f"{OpenSpielGame.__name__}_{game.name}", (OpenSpielGame,), of_game))


for _game in installed_games()[0]:
    _register(_game)
