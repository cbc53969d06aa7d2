"""Restrictions of a seat: steps, spaces, goods, tasks, deferring, building, the number of cards drawn."""

from collections.abc import Callable, Mapping
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.game.restricting import Occasions, Restriction, Use, at_most, never
from strozzi_sim.games.strasbourg.state import ANYWHERE, AUCTIONS, BESIDE_OWN, STEPS

_MERCHANTS = "merchants"
_AT_STAKE = ("nobility and church", "first guild", _MERCHANTS, "second guild", _MERCHANTS, "third guild", _MERCHANTS)
_ROUNDS, _GAMES = Occasions("round", "rounds"), Occasions("seat", "games")


def restrictions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return every restriction by its name; N is a whole number above 0.

    Compulsory actions cannot be forbidden: building, without the switch `building_optional`, and keeping tasks, if the
    number to keep is fixed.
    """
    tasks, switches = components["tasks_meta"], components["switches"]
    found = _auctions(components)
    defer = Use("round", "waited > 0", _ROUNDS)
    found["defer:any"] = Restriction("no privilege may be paid to bid later", never("no_defer", 1), defer)
    words = "no more than N cards may be drawn in a round, except the compulsory one"
    found["draw:above-N"] = Restriction(words, at_most("most_drawn"), Use("round", "drawn > N", _ROUNDS), (1, 3, 5))
    for kind in ("space", "good"):
        found |= _takings(kind, components["guilds"]["order"])
    fewest, most = tasks["keep_min"], tasks["keep_max"]
    if fewest < most:
        more = sum(1 << kept for kept in range(1 << tasks["dealt_per_player"]) if fewest < kept.bit_count() <= most)
        use = Use("seat", f"kept > {fewest}", _GAMES)
        found["task:any"] = Restriction("only the least number of tasks may be kept", never("no_keep", more), use)
    for k, task in enumerate(each["id"] for each in components["tasks"]):
        words = f"task {task} may not be kept, if there is another choice"
        use = Use("task", f"task == {task} and kept == yes", Occasions("task", "hands with it", f"task == {task}"))
        found[f"task:{task}"] = Restriction(words, never("no_task", 1 << k), use)
    for kind in ("chapel", "edifice"):
        words, of = f"no {kind} may be built", Occasions(kind, "chances to build")
        found[f"{kind}:own"] = Restriction(
            f"{words} beside an own member, if there is another choice", never(f"no_{kind}", BESIDE_OWN),
            Use(kind, "beside_own == yes", of),
        )  # fmt: skip
        if switches["building_optional"]:
            found[f"{kind}:any"] = Restriction(words, never(f"no_{kind}", ANYWHERE), Use(kind, "built == yes", of))
    return found


def _auctions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return the restrictions not to bid in a step, or in the steps of a guild or the merchants."""
    found, order = {}, components["guilds"]["order"]
    merchants = [k for k, what in enumerate(_AT_STAKE) if what == _MERCHANTS]
    for k, what in enumerate(_AT_STAKE):
        skipped = k == 0 and components["switches"]["skip_A_round1"]
        use = Use("bid", f"step == {STEPS[k]}", Occasions("round", "rounds", "round > 1") if skipped else _ROUNDS)
        words = f"no stack may be turned over in step {STEPS[k]} ({what})"
        found[f"step:{STEPS[k]}"] = Restriction(words, _close([k]), use)
    named = [guild for card in components["round_cards"] for guild in card["guilds"].values()]
    for k, guild in enumerate(order):
        use = Use("bid", f"guild == {guild}", Occasions("seat", "its steps", times=named.count(guild)))
        words = f"no stack may be turned over in the steps of the {guild}s"
        found[f"auction:{guild}"] = Restriction(words, _close([], k), use)
    steps = " or ".join(f"step == {STEPS[k]}" for k in merchants)
    use = Use("bid", steps, Occasions("round", "its steps", times=len(merchants)))
    words = "no stack may be turned over in the merchants' steps"
    found["auction:merchants"] = Restriction(words, _close(merchants), use)
    return found


def _close(steps: list[int], guild: int = -1) -> Callable[[Any, int, int], None]:
    """Return what forbids a seat to bid in these steps, or in those of a guild."""

    def forbid(rules: Any, seat: int, number: int) -> None:
        for card in range(int(rules["rounds"])):
            of_guild = [2 * k + 1 for k, each in enumerate(rules["card_guild"][card]) if each == guild]
            rules["no_bid"][seat][card] |= sum(1 << step for step in (*steps, *of_guild))

    return forbid


def _takings(kind: str, guilds: list[str]) -> dict[str, Restriction]:
    """Return the restrictions not to take a space, or a good, of any guild or of one."""
    found = {}
    for what in ("any", *guilds):
        of_guild = "not guild == none" if what == "any" else f"guild == {what}"
        turns = Occasions("act", "turns in guild steps" if what == "any" else "turns in its steps", of_guild)
        use = Use("act", f"{of_guild} and {'placed' if kind == 'space' else 'good'} == yes", turns)
        words = f"no {kind} may be taken" if what == "any" else f"no {kind} of the {what}s may be taken"
        own = [k for k, guild in enumerate(guilds) if what in ("any", guild)]
        found[f"{kind}:{what}"] = Restriction(words, _take_no(kind, own), use)
    return found


def _take_no(kind: str, guilds: list[int]) -> Callable[[Any, int, int], None]:
    def forbid(rules: Any, seat: int, number: int) -> None:
        for guild in guilds:
            rules[f"no_{kind}"][seat] |= rules["guild_spaces"][guild] if kind == "space" else 1 << guild

    return forbid


def check(rules: Any, seat: int, name: str) -> None:
    """Refuse a seat that may not bid in any step. Raises InputError."""
    if all(int(closed) == (1 << AUCTIONS) - 1 for closed in rules["no_bid"][seat][: int(rules["rounds"])]):
        raise InputError(f"restriction {name} of seat {seat}: no step is left in which it may bid; leave the seat one")
