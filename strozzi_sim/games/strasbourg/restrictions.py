"""Restrictions of a seat: steps, spaces, goods, tasks, deferring, building, the number of cards drawn."""

from collections.abc import Mapping
from typing import Any

from strozzi_sim.errors import InputError
from strozzi_sim.game.restricting import Occasions, Use, read_limit
from strozzi_sim.games.strasbourg.state import ANY_NUMBER, ANYWHERE, AUCTIONS, BESIDE_OWN, STEPS

_MERCHANTS = "merchants"
_AT_STAKE = ("nobility and church", "first guild", _MERCHANTS, "second guild", _MERCHANTS, "third guild", _MERCHANTS)


def names(components: Mapping[str, Any]) -> dict[str, str]:
    """Return a description of each restriction, by name; N is a whole number above 0.

    Compulsory actions cannot be forbidden: building, without the switch `building_optional`, and keeping tasks, if the
    number to keep is fixed.
    """
    guilds, tasks = components["guilds"]["order"], components["tasks_meta"]
    known = {
        f"step:{step}": f"no stack may be turned over in step {step} ({what})"
        for step, what in zip(STEPS, _AT_STAKE, strict=False)
    }
    known |= {f"auction:{what}": f"no stack may be turned over in the steps of the {what}s" for what in guilds}
    known["auction:merchants"] = "no stack may be turned over in the merchants' steps"
    known["defer:any"] = "no privilege may be paid to bid later"
    known["draw:above-N"] = "no more than N cards may be drawn in a round, except the compulsory one"
    for kind in ("space", "good"):
        known[f"{kind}:any"] = f"no {kind} may be taken"
        known |= {f"{kind}:{guild}": f"no {kind} of the {guild}s may be taken" for guild in guilds}
    if tasks["keep_min"] < tasks["keep_max"]:
        known["task:any"] = "only the least number of tasks may be kept"
    known |= {
        f"task:{task['id']}": f"task {task['id']} may not be kept, if there is another choice"
        for task in components["tasks"]
    }
    for kind in ("chapel", "edifice"):
        known[f"{kind}:own"] = f"no {kind} may be built beside an own member, if there is another choice"
        if components["switches"]["building_optional"]:
            known[f"{kind}:any"] = f"no {kind} may be built"
    return known


def uses(components: Mapping[str, Any]) -> dict[str, Use | None]:
    """Return what `worth --all` measures, with the facts that show its use."""
    return {
        each: _use(each, components)
        for name in names(components)
        for each in ([name.replace("N", str(number)) for number in (1, 3, 5)] if name.endswith("-N") else [name])
    }


def _use(name: str, components: Mapping[str, Any]) -> Use:
    kind, _, what = name.partition(":")
    rounds, games = Occasions("round", "rounds"), Occasions("seat", "games")
    if kind == "step":
        skipped = what == STEPS[0] and components["switches"]["skip_A_round1"]
        return Use("bid", f"step == {what}", Occasions("round", "rounds", "round > 1") if skipped else rounds)
    if kind == "auction":
        return _use_of_steps(what, components)
    if kind == "defer":
        return Use("round", "waited > 0", rounds)
    if kind == "draw":
        return Use("round", f"drawn > {read_limit(name)}", rounds)
    if kind in ("space", "good"):
        of_guild = "not guild == none" if what == "any" else f"guild == {what}"
        turns = Occasions("act", "turns in guild steps" if what == "any" else "turns in its steps", of_guild)
        return Use("act", f"{of_guild} and {'placed' if kind == 'space' else 'good'} == yes", turns)
    if name == "task:any":
        return Use("seat", f"kept > {components['tasks_meta']['keep_min']}", games)
    if kind == "task":
        return Use("task", f"task == {what} and kept == yes", Occasions("task", "hands with it", f"task == {what}"))
    return Use(kind, f"{'built' if what == 'any' else 'beside_own'} == yes", Occasions(kind, "chances to build"))


def _use_of_steps(what: str, components: Mapping[str, Any]) -> Use:
    """Return the use of the merchants' steps, or of the steps of a guild: a seat turned over a stack in one of them."""
    if what == _MERCHANTS:
        steps = [step for step, stake in zip(STEPS, _AT_STAKE, strict=False) if stake == _MERCHANTS]
        where = " or ".join(f"step == {step}" for step in steps)
        return Use("bid", where, Occasions("round", "its steps", times=len(steps)))
    held = [guild for card in components["round_cards"] for guild in card["guilds"].values()].count(what)
    return Use("bid", f"guild == {what}", Occasions("seat", "its steps", times=held))


def restrict(rules: Any, seat: int, name: str, components: Mapping[str, Any]) -> None:
    """Write a restriction of a seat into a row of the rules.

    Raises:
        InputError: the number is not a whole number above 0, or the seat may not bid in any step.
    """
    kind, _, what = name.partition(":")
    rules["restricted"] = 1
    if kind in ("step", "auction"):
        _close_steps(rules, seat, name, components)
    elif kind == "defer":
        rules["no_defer"][seat] = 1
    elif kind == "draw":
        rules["most_drawn"][seat] = min(int(rules["most_drawn"][seat]), read_limit(name), ANY_NUMBER)
    elif kind in ("space", "good"):
        order = components["guilds"]["order"]
        for guild in range(len(order)) if what == "any" else [order.index(what)]:
            if kind == "space":
                rules["no_space"][seat] |= rules["guild_spaces"][guild]
            else:
                rules["no_good"][seat] |= 1 << guild
    elif name == "task:any":
        choices = [choice for choice in range(64) if int(rules["keep"]) >> choice & 1]
        fewest = min(map(int.bit_count, choices))
        rules["no_keep"][seat] = sum(1 << choice for choice in choices if choice.bit_count() > fewest)
    elif kind == "task":
        rules["no_task"][seat] |= 1 << [task["id"] for task in components["tasks"]].index(what)
    else:
        rules[f"no_{kind}"][seat] |= ANYWHERE if what == "any" else BESIDE_OWN


def _close_steps(rules: Any, seat: int, name: str, components: Mapping[str, Any]) -> None:
    kind, _, what = name.partition(":")
    cards = range(int(rules["rounds"]))
    for card in cards:
        guilds = [components["guilds"]["order"][guild] for guild in rules["card_guild"][card]]
        at_stake = ["", guilds[0], _MERCHANTS, guilds[1], _MERCHANTS, guilds[2], _MERCHANTS]
        named = STEPS if kind == "step" else at_stake
        rules["no_bid"][seat][card] |= sum(1 << step for step in range(AUCTIONS) if named[step] == what)
    if all(int(rules["no_bid"][seat][card]) == (1 << AUCTIONS) - 1 for card in cards):
        raise InputError(f"restriction {name} of seat {seat}: no step is left in which it may bid; leave the seat one")
