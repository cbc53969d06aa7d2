"""Actions that can be forbidden to a seat: bids, cards, spaces, goods, tasks, deferring, building."""

from collections.abc import Callable, Mapping
from typing import Any

from strozzi_sim.errors import InputError, pluralize
from strozzi_sim.game.restricting import Occasions, Restriction, Use, at_most, never
from strozzi_sim.games.strasbourg.state import ANYWHERE, AUCTIONS, BESIDE_OWN, STEPS
from strozzi_sim.games.strasbourg.tasks import task_names

# of the auctions A to G
_SUBJECTS = ("nobility and church", "first guild", "merchants", "second guild", "merchants", "third guild", "merchants")
_ROUNDS, _GAMES = Occasions("round", "rounds"), Occasions("seat", "games")


def restrictions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return every restriction by its name; N is a whole number above 0.

    Compulsory actions cannot be forbidden: `chapel:any` and `edifice:any` need the switch `building_optional`, and
    `task:any` a choice of how many tasks to keep.
    """
    tasks = components["tasks_meta"]
    by_name = _auctions(components)
    defer = Use("round", "waited > 0", _ROUNDS)
    text = "no privilege may be paid to bid later"
    by_name["defer:any"] = Restriction(text, never("no_defer", 1), defer, noun="bidding later")
    text = "no more than N cards may be drawn in a round"
    use = Use("round", "drawn > N", _ROUNDS)
    by_name["draw:above-N"] = Restriction(text, at_most("most_drawn"), use, (1, 3, 5), "drawing more than N cards")
    for kind in ("space", "good"):
        by_name |= _takings(kind, components["guilds"]["order"])
    fewest, largest = tasks["keep_min"], tasks["keep_max"]
    if fewest < largest:
        more = sum(1 << kept for kept in range(1 << tasks["dealt_per_player"]) if fewest < kept.bit_count() <= largest)
        use = Use("seat", f"kept > {fewest}", _GAMES)
        text = f"no more than {pluralize(fewest, 'task')} may be kept"
        by_name["task:any"] = Restriction(
            text,
            never("no_keep", more),
            use,
            noun="a second task" if fewest == 1 else f"keeping more than {pluralize(fewest, 'task')}",
        )
    conditions = task_names(components)
    for k, task in enumerate(data["id"] for data in components["tasks"]):
        name = f"the task \N{LEFT DOUBLE QUOTATION MARK}{conditions[task]}\N{RIGHT DOUBLE QUOTATION MARK}"
        text = f"{name} may not be kept, if there is another choice"
        use = Use("task", f"task == {task} and kept == yes", Occasions("task", "hands with it", f"task == {task}"))
        by_name[f"task:{task}"] = Restriction(text, never("no_task", 1 << k), use, noun=name)
    for kind in ("chapel", "edifice"):
        text, occasions = f"no {kind} may be built", Occasions(kind, "chances to build")
        own, use = f"{text} beside an own member, if there is another choice", Use(kind, "beside_own == yes", occasions)
        noun = f"{kind}s beside own members"
        by_name[f"{kind}:own"] = Restriction(own, never(f"no_{kind}", BESIDE_OWN), use, noun=noun)
        if components["switches"]["building_optional"]:
            use = Use(kind, "built == yes", occasions)
            by_name[f"{kind}:any"] = Restriction(text, never(f"no_{kind}", ANYWHERE), use, noun=f"{kind}s")
    return by_name


def _auctions(components: Mapping[str, Any]) -> dict[str, Restriction]:
    """Return the restrictions that forbid bids in one step, in the steps of a guild, or in those of the merchants."""
    by_name = {}
    merchants = [k for k, subject in enumerate(_SUBJECTS) if subject == "merchants"]
    for k, subject in enumerate(_SUBJECTS):
        skipped = k == 0 and components["switches"]["skip_A_round1"]
        use = Use("bid", f"step == {STEPS[k]}", Occasions("round", "rounds", "round > 1") if skipped else _ROUNDS)
        text = f"no stack may be turned over in step {STEPS[k]} ({subject})"
        by_name[f"step:{STEPS[k]}"] = Restriction(
            text, _forbid_bids([k]), use, noun=f"bids in step {STEPS[k]} ({subject})"
        )
    guilds_of_steps = [guild for card in components["round_cards"] for guild in card["guilds"].values()]
    for k, guild in enumerate(components["guilds"]["order"]):
        use = Use("bid", f"guild == {guild}", Occasions("seat", "its steps", times=guilds_of_steps.count(guild)))
        text = f"no stack may be turned over in the steps of the {guild}s"
        by_name[f"auction:{guild}"] = Restriction(text, _forbid_bids([], k), use, noun=f"bids for the {guild}s")
    steps = " or ".join(f"step == {STEPS[k]}" for k in merchants)
    use = Use("bid", steps, Occasions("round", "its steps", times=len(merchants)))
    noun = f"bids in the {len(merchants)} merchants' steps of a round"
    text = f"no stack may be turned over in the {len(merchants)} merchants' steps of a round"
    by_name["auction:merchants"] = Restriction(text, _forbid_bids(merchants), use, noun=noun)
    return by_name


def _forbid_bids(steps: list[int], guild: int = -1) -> Callable[[Any, int, int], None]:
    """Return a `forbid` for bids in these steps and in the steps of a guild; -1: of no guild."""

    def forbid(rules: Any, seat: int, number: int) -> None:
        for card in range(int(rules["rounds"])):
            of_guild = [2 * k + 1 for k, step_guild in enumerate(rules["card_guild"][card]) if step_guild == guild]
            rules["no_bid"][seat][card] |= sum(1 << step for step in (*steps, *of_guild))

    return forbid


def _takings(kind: str, guilds: list[str]) -> dict[str, Restriction]:
    """Return the restrictions that forbid a seat to take a space (or a good) of any guild, or of one guild."""
    by_name = {}
    for scope in ("any", *guilds):
        in_step = "not guild == none" if scope == "any" else f"guild == {scope}"
        turns = Occasions("act", "turns in guild steps" if scope == "any" else "turns in its steps", in_step)
        use = Use("act", f"{in_step} and {'placed' if kind == 'space' else 'good'} == yes", turns)
        text = f"no {kind} may be taken" if scope == "any" else f"no {kind} of the {scope}s may be taken"
        indices = [k for k, guild in enumerate(guilds) if scope in ("any", guild)]
        noun = f"{kind}s" if scope == "any" else f"{kind}s of the {scope}s"
        by_name[f"{kind}:{scope}"] = Restriction(text, _forbid_taking(kind, indices), use, noun=noun)
    return by_name


def _forbid_taking(kind: str, guilds: list[int]) -> Callable[[Any, int, int], None]:
    def forbid(rules: Any, seat: int, number: int) -> None:
        for guild in guilds:
            rules[f"no_{kind}"][seat] |= rules["guild_spaces"][guild] if kind == "space" else 1 << guild

    return forbid


def check(rules: Any, seat: int, name: str) -> None:
    """Raise InputError if the seat may not bid in any step."""
    if all(int(closed) == (1 << AUCTIONS) - 1 for closed in rules["no_bid"][seat][: int(rules["rounds"])]):
        raise InputError(f"restriction {name} of seat {seat}: no step is left in which it may bid; leave the seat one")
