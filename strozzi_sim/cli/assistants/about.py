"""games, rules: what there is to ask about, as tools."""

import re
from pathlib import Path
from typing import Any

from strozzi_sim.cli.assistants.rows import reconstructed_words
from strozzi_sim.cli.assistants.schema import Answer
from strozzi_sim.errors import InputError, short_repr, suggest_names

MOST_PARAGRAPHS = 12
_PARAGRAPHS = Path(__file__).parents[3] / "docs" / "rules"  # of a checkout


def games(*, game: str = "", agent: str = "", facts: str = "") -> Answer:
    """List the games; or of one game its variants, agents, things whose worth can be measured, and facts that are counted.

    Args:
        game: name of a game; default: all games in short
        agent: with game, an agent whose parameters are to be explained
        facts: with game, a table of facts whose columns are to be explained
    """
    from strozzi_sim.game import installed_games, load_game

    if not game:
        if facts or agent:
            raise InputError(f"{'facts' if facts else 'agent'}: only valid with a game")
        found, errors = installed_games()
        return {"games": [_in_short(each) for each in found]} | ({"not_loaded": errors} if errors else {})
    return _agent(load_game(game), agent) if agent else _in_full(load_game(game), facts)


def _in_short(game: Any) -> Answer:
    from strozzi_sim.game.variants import BASE, shipped_variants

    variants = [BASE, *shipped_variants(game)]
    return {"name": game.name, "title": game.title, "players": list(game.player_counts), "variants": variants}


def _in_full(game: Any, facts: str) -> Answer:
    from strozzi_sim.agent import installed_agents
    from strozzi_sim.facts.columns import GameConfig
    from strozzi_sim.facts.describe import described_table
    from strozzi_sim.game.restricting import restrictions, things
    from strozzi_sim.game.variants import BASE, resolve_variant, shipped_variants

    base = resolve_variant(game, BASE)
    setting = GameConfig(game.max_players, base.components)
    tables = {each.name: described_table(each, setting) for each in (game.facts.TABLES if game.facts else ())}
    if facts and facts not in tables:
        raise InputError(f"facts: no table {short_repr(facts)}; {suggest_names(facts, tables)}")
    if facts:
        return {"game": game.name, "facts": facts, "text": tables[facts]["text"], "columns": tables[facts]["columns"]}
    known = restrictions(game, base)
    answer = _in_short(game) | {
        "variants": {BASE: "the published or reconstructed components"}
        | {name: changes.get("about", "") for name, changes in shipped_variants(game).items()},
        "reconstructed_data": reconstructed_words({BASE: base.reconstructed}),
        "default_agent": game.default_agent,
        "agents_by_strength": dict(game.tiers),
        "agents": {agent.name: agent.description for agent, names in installed_agents() if game.name in names},
        "things": {name: _about_thing(known.get(name, ""), use) for name, use in things(game, base).items()},
        "facts": {name: table["text"] for name, table in tables.items()},
    }
    return answer


def _about_thing(description: str, use: Any) -> str:
    """Return what a restriction forbids, and of what occasions the use of the thing is counted."""
    return "; ".join(filter(None, [description, f"its use is counted of {use.of.words}" if use else ""]))


def _agent(game: Any, name: str) -> Answer:
    """Return an agent of a game: its parameters with their meaning, and how they are written."""
    from strozzi_sim.agent import installed_agents
    from strozzi_sim.cli.about import agent_document

    known = {each.name: each for each, names in installed_agents() if game.name in names}
    if name not in known:
        raise InputError(f"agent: {game.name} has no agent {short_repr(name)}; {suggest_names(name, known)}")
    document = agent_document(known[name], [game.name])

    def words(each: dict[str, Any]) -> str:
        allowed = (
            f"{each['low']:g} to {each['high']:g}" if each["low"] is not None else ", ".join(each["options"] or ())
        )
        default = "" if each["default"] in (None, "") else f"default {each['default']}"
        inside = "; ".join(part for part in (default, allowed) if part)
        return f"{each['about'] or ''} ({inside})".strip() if inside else str(each["about"] or "")

    found = {"name": document["name"], "about": document["about"], "players": document["players"]}
    params = {name: words(each) for name, each in document["params"].items()}
    return found | ({"parameters": params, "write": f"{document['name']}:NAME=VALUE,NAME=VALUE"} if params else {})


def rules(*, game: str, variant: str = "base", players: int | None = None, find: str = "") -> Answer:
    """Give the rules of a game in short, or the numbered paragraphs on how silences of its rulebook are read.

    Args:
        game: name of the game
        variant: name of a variant
        players: number of players; default: 4, or the game's minimum
        find: words, or the number of a paragraph; default: the rules in short, and the headings of the paragraphs
    """
    from strozzi_sim.cli.options import one_player_count
    from strozzi_sim.game import load_game
    from strozzi_sim.game.variants import resolve_variant

    the_game = load_game(game)
    chosen = resolve_variant(the_game, variant)
    count = one_player_count("" if players is None else str(players), the_game)
    paragraphs = _paragraphs(the_game.name)
    answer: Answer = {"game": the_game.name, "variant": chosen.name, "players": count}
    if not find:
        answer["in_short"] = the_game.view.short_rules(chosen.components, count).splitlines()
        answer["headings"] = list(dict.fromkeys(heading for heading, _ in paragraphs))
    else:
        found = [{"under": heading, "text": text} for heading, text in _matching(find, paragraphs)]
        if not found:
            place = (
                "no paragraph" if paragraphs else "without a checkout of the sources there are no paragraphs, so none"
            )
            raise InputError(
                f"find: {place} has {short_repr(find)}; leave it out for the rules in short and the headings"
            )
        answer |= {"found": len(found), "paragraphs": found[:MOST_PARAGRAPHS]}
    return answer | {"reconstructed_data": reconstructed_words({chosen.name: chosen.reconstructed})}


def _paragraphs(game: str) -> list[tuple[str, str]]:
    """Return the paragraphs of a game's page of rules, each with its heading; none without the page."""
    page = _PARAGRAPHS / f"{game}.md"
    if not page.is_file():
        return []
    found, heading = [], ""
    for block in re.split(r"\n(?=#+ |[0-9]+\. |- |\*\*|\| )|\n\n", page.read_text("utf-8")):
        if block.startswith("#"):
            heading = block.splitlines()[0].lstrip("# ")
            block = block.partition("\n")[2]
        if block.strip(" \n-"):
            found.append((heading, block.strip()))
    return found


def _matching(find: str, paragraphs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the paragraphs of this number, or else those that have all these words."""
    number = re.compile(rf"\W*{re.escape(find.strip().rstrip('.'))}\.?\W")
    numbered = [(heading, text) for heading, text in paragraphs if number.match(f"{text} ")]
    words = find.lower().split()
    return numbered or [each for each in paragraphs if all(word in " ".join(each).lower() for word in words)]
