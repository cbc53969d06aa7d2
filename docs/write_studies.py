"""Write docs/studies.md and docs/*.schema.json from the code: `python docs/write_studies.py`."""

import json
import re
from pathlib import Path

import msgspec

from strozzi_sim.declare.pages import report_of
from strozzi_sim.game import load_game
from strozzi_sim.game.as_json import decision_type
from strozzi_sim.game.converting import json_schema
from strozzi_sim.study.kinds.balance import Balance
from strozzi_sim.study.kinds.sweep import Sweep
from strozzi_sim.study.look import Look
from strozzi_sim.table.schema import schema as page_schema

PAGE = Path(__file__).parent / "studies.md"
SCHEMA = Path(__file__).parent / "study.schema.json"
DECISION = Path(__file__).parent / "decision.schema.json"
TABLE = Path(__file__).parent / "table.schema.json"
OUR_GAMES = ("medici_vs_strozzi", "strasbourg", "strozzi")
IN_REPORT = ("pages", "heatmaps", "effect", "explorer")
KEYS = {
    "name": "name of the study and its results folder: 1 to 64 characters of a-z, 0-9 and -",
    "game": "the game; `strozzi games` lists them",
    "seed": "random seed, below 2^53; default 0",
    "players": "player counts; default: all that the game allows",
    "question": "what the page answers first: `seats`, `agents`, `variants`, `heatmaps` (the first requested), or a page of the game; default: what varies",
    "deals": "deals of each combination of players, line-up and variant",
    "precision": "instead of `deals`, or with it as the most: play until every share of wins is known to that many points",
    "search_deals": "deals of line-ups with an agent that searches; default: `deals`",
    "chunks": "parts of the deals, from which intervals are computed; default 200",
    "chunk_deals": "instead of `chunks`: deals of each part, unchanged when more deals extend the study",
    "seatings": "`one`, `rotate` (default; of a tournament `latin`), `spread`, `all` or `latin`: where the agents of a line-up sit on each deal ([statistics](statistics.md#seatings))",
    "lineups": "lists of agents: one agent plays itself, several play each other at that player count",
    "variants": "names of variants, the game's or the file's own; default `base`",
    "variant": "`[variant.NAME.SECTION]`: changes of component data; see [below](#changing-components)",
    "rows": "keep one row per game and seat in `games/`",
    "facts": "fact tables whose rows are kept in `facts/`; `strozzi facts GAME` lists them",
    "facts_share": "share of the deals whose rows are kept",
    "report": "`pages`, `heatmaps`, `effect` (smallest difference that matters) and `explorer` (count what the explorer shows; default true)",
    "heatmap": "`[[heatmap]]`: heat maps of your own, with `name`, `fact`, `rows`, `columns`, `value`, `where` and `title`",
    "sweep": "`[sweep]`: one or two component keys with their values, in all combinations; the page says which is fairest, beside the published value if listed, else the first",
    "decided": "of a sweep with a precision: play until each difference from the published value is found or excluded to that size",
    "luck": "agent that evaluates positions, such as `learned`: every mean also without the luck of chance ([statistics](statistics.md#luck-taken-out))",
    "luck_redraws": "redraws of each chance event for it; default 8",
    "worth": "things, or patterns of them, that an agent must do without: what is each worth?",
}
CHANGES = (
    "[variant.mine.scoring]", "ship_ranks = [20, 10, 5]", "[variant.mine.ships]", "S03 = {sail = 8}", 'remove = ["S01"]',
    'add = [{id = "S30", sail = 4, venice = 1, rome = 1, naples = 1, scrolls = 0, promotion = 0}]',
)  # fmt: skip
SEARCH = """```python
import optuna
import strozzi_sim as ss


def seat_gap(bonus, seed, deals):
    changed = {"bonus": {"tracks": {"bonus": bonus}}}
    found = ss.simulate(
        "strozzi", players=4, agents=["heuristic"], deals=deals, variant=changed, seed=seed, progress=False
    )
    return found.tables["balance"].query("figure == 'seat_gap'")["value"].item()


def of_trial(trial):
    return seat_gap({space: trial.suggest_int(f"{space}", 0, 20) for space in (7, 8, 9)}, seed=1, deals=2000)


search = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
search.optimize(of_trial, n_trials=30)
best = {int(space): value for space, value in search.best_params.items()}
print(best, search.best_value, seat_gap(best, seed=2, deals=10_000))
```"""
ADDED = 'ships.add=[{id="S30",sail=4,venice=1,rome=1,naples=1,scrolls=0,promotion=0}]'
PICTURES = {
    "dots with intervals": "a figure by a few levels, or above and below an equal share. Thin line: 95 % interval; numbers: the highest and lowest that differ from the broken line.",
    "lines": "a figure over a number: sail, round, bid. Each mark has its interval.",
    "rows of dots": "many levels, one line each, the largest first; a panel for each figure.",
    "stacked bars": "parts of a sum, the total at the end; parts below zero are left of it.",
    "spread": "thick part: half of all; line: nine in ten; white mark: median; diamond: a mean beyond.",
    "used against worth": "how often each thing is used, and what is lost without it; diamonds: the wins of its users mislead.",
    "curves": "a figure over swept values. Diamonds differ significantly from the published value, or the first (circle); squares do not. Lines of a gap without an interval reach as far as chance.",
    "board": "a figure at the places of its levels, larger values in stronger colours. Shares: blue above an equal share, orange below; without colour: no significant difference.",
    "heat map": "two columns against each other. Point at a cell for its interval and n; a dash has fewer than 30 events.",
}
GALLERY = {
    "page-strozzi.png": "Strozzi by strength of play: verdict, picture, three numbers",
    "page-explorer.png": "The explorer: a question in plain words, a panel for each round",
    "page-strasbourg.png": "Strasbourg's city as a board",
    "page-worth.png": "Used against worth",
    "page-phone.png": "The same page on a phone, dark",
}


def page() -> str:
    """Return docs/studies.md."""
    lines = [
        "# Studies and their pages", "",
        "A study is a TOML file; `strozzi run FILE` plays it into a results folder with tables and one page, `report.html`.",
        "With `#:schema docs/study.schema.json` in the first line, editors complete and check study files.", "",
        "## Keys of a study file", "", "| key | meaning |", "| --- | --- |",
        *(f"| `{key}` | {text} |" for key, text in KEYS.items()), "",
        "## Changing components", "",
        "A new value replaces the old one, a list the whole list. In a list of blocks with ids, such as cards or tasks, a block is changed under its id,",
        "`add` lists new blocks, each with all its keys, and `remove` lists ids:", "",
        "```toml", *CHANGES, "```", "",
        "On the command line: `--set 'scoring.ship_ranks=[20,10,5]'`, `--set ships.S03.sail=8`, `--set 'ships.remove=[\"S01\"]'` and", "",
        f"`strozzi compare strozzi --set '{ADDED}'`", "",
        "## The best of many values", "",
        "`[sweep]` plays a grid of one or two keys on the same deals. The page ranks the values by the gap between the seats, and groups those that cannot be",
        "told apart from the lowest. For more keys, or hundreds of values, search with optuna (`pip install optuna`):", "",
        SEARCH, "",
        "All trials play the same deals, so they differ by their values alone. The lowest of many noisy figures is also the luckiest, so it is measured again on",
        "other deals. With optuna 5 this prints `{7: 15, 8: 4, 9: 0}`, 0.022 in the search and 0.044 on other deals; the published game has 0.11.", "",
        "## The page", "",
        "1. The verdict, a sentence that follows from the tables by rules, with its numbers. What is true of an agent is not said of the game.",
        "2. One picture that answers the study's question, three numbers with half-widths, one line of caveat.",
        "3. Sections: a question, its finding, one picture; other pictures and sortable tables open below. *Check this picture* has definition, n,",
        "   command, seed, citation, and the data as CSV. *?* in a column's head is its formula.",
        "4. *Ask it yourself*: any counted pair of columns, by players, agent, variant and round, with presets in plain words. The address keeps the",
        "   question; another study's page can be laid beside it.",
        "5. Method, plan, command and versions; what is reconstructed; words.", "",
        "The page is one file and needs no network. *Print* puts its first screen on one sheet, with the date, who plays, what intervals mean and what is",
        "reconstructed. `strozzi report A B` lays studies side by side.", "",
        "## Files that are replaced", "",
        "Results are the chunks in `study.sqlite`, each with a SHA-256. `strozzi run` plays missing and damaged chunks. It makes tables and page again",
        "if chunks, plan, report or versions are newer, or a file is missing. `strozzi report DIR` redraws the page from the tables. So do not edit",
        "these files. To restore a table, remove it and run again.", "",
        "Your own files are never removed. Only a record, page, picture, table or workbook of ours, known by its first bytes, gives way to one of its kind.",
        "To replace any other file, add `--overwrite` (in Python `overwrite=True`).", "",
        "## Someone else's results folder", "",
        "Reports, heat maps, merges and spreadsheets open a results folder as data. Files that its line-ups name, such as `bots.py::mine`, the program of",
        "`pipe` or the weights of `network`, are used only if you name them too: `strozzi heatmap DIR ... --code bots.py`, `strozzi merge DIR... --code bots.py`,",
        "`ss.read_study(folder, code=[\"bots.py\"])`. Links where runs read or write are refused at any depth; nothing outside the folder is read, written or removed.",
        "A study *file* is different: `strozzi run FILE` plays what it names.", "",
        "## What each picture means", "", "| picture | reading |", "| --- | --- |",
        *(f"| {name} | {text} |" for name, text in PICTURES.items()), "",
        "## Gallery", "", *(f"![{text}](images/{file})\n" for file, text in GALLERY.items()),
        "## Tables of every study", "", "| table | keys | figures |", "| --- | --- | --- |",
        "| `seats` | seat | win_share, score_mean, rank_mean, lead_mean |",
        "| `lineup` | position, agent | the same, and each less that of position 0 |",
        "| with `luck` | | also FIGURE_without_luck and FIGURE_games_saved, of win_share, score_mean and lead_mean |",
        "| `balance` | | seat_gap, seat_gap_by_chance, seat_favour_bound, seat_fairness_p, decisions_mean, and the game's |",
        "| `changes` | than, table, the keys of these tables | differences of variants, with verdict |",
        "| `sweep` | the swept keys | the figures of `balance` |",
        "| `ladder` | rung, target | the target's figure with 0 to 3 changed numbers, its range, and whether it is met; beside it `box`, `effects`, `reach`, `heats` |",
        "| `worth` | thing, agent | popularity, naive_win_share, win_share_lost, score_lost |",
        "| `explorer` | map, row, column, round | the figures of every heat map, by round |",
        "| `heat_NAME` | row, column | the figures of the heat map NAME |", "",
        "All have the columns players, variant, lineup before their keys and figure, value, low, high, n, deals after them.", "",
        "The table `figures` has a row for each table and figure: label, unit (share, points of a share, score, amount, number, count, or the p",
        "of a test), definition, lowest and highest possible value, the scale of a difference (share: of all games; score: the mean score; itself; nothing: it",
        "is not compared), whether it is 1 / players for equal seats, and whether higher or lower is better.", "",
        "Pages and heat maps of each game follow; captions on the page say more. `win-by-flag` maps show who wins with a ship, not that the ship is the reason.", "",
    ]  # fmt: skip
    for name in OUR_GAMES:
        lines += _game(name)
    return "\n".join(lines).rstrip() + "\n"


def _game(name: str) -> list[str]:
    game = load_game(name)
    report = report_of(game)
    lines = [f"## {game.title}", "", "| page | question | keys of its table |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {page.question} | {', '.join(page.keys) or '-'} |" for name, page in report.pages.items()]
    lines += ["", "| heat map | rows x columns | a cell |", "| --- | --- | --- |"]
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}  # maps of the same rows and caption share a line
    for name, each in report.heat_maps.items():
        alike.setdefault((each.row_label, _first(each.caption)), []).append((name, each.column_label))
    for (rows, caption), maps in alike.items():
        names, columns = zip(*maps, strict=True)
        lines.append(f"| {', '.join(f'`{name}`' for name in names)} | {rows} x {'; '.join(columns)} | {caption} |")
    return [*lines, ""]


def _first(caption: str) -> str:
    """Return what a caption says before its first full stop, colon or semicolon, without what the columns say too."""
    first = re.split(r"[.:;](?:\s|$)", caption, maxsplit=1)[0]
    return re.sub(r"^((?:Share|Mean) .*), by [^,]+$", r"\1", first)


def schema() -> str:
    """Return docs/study.schema.json: the keys of a study of balance or a sweep, and those of its look."""
    of_study, of_sweep, of_look = (json_schema(each)["$defs"] for each in (Balance.form(), Sweep.form(), Look))
    shown = of_look["Look"]["properties"]
    report = {key: shown.pop(key) for key in IN_REPORT}
    properties = {
        **of_study["Balance"]["properties"],
        **{key: of_sweep["Sweep"]["properties"][key] for key in ("sweep", "decided")},
        **shown,
        "report": {"type": "object", "properties": report, "additionalProperties": False},
        "variants": {"type": "array", "items": {"type": "string"}, "minItems": 1, "default": ["base"]},
        "variant": {"type": "object", "additionalProperties": {"type": "object"}},
        "chunks": {"type": "integer"},
    }
    found = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A study file of strozzi-sim",
        "type": "object",
        "properties": {key: {**properties[key], "description": text.replace("`", "")} for key, text in KEYS.items()},
        "required": ["game", "lineups"],
        "additionalProperties": False,
        "$defs": {"HeatMapSpec": of_look["HeatMapSpec"]},
    }
    return json.dumps(found, indent=1) + "\n"


def decision_schema() -> str:
    """Return docs/decision.schema.json: what a seat sees and may do in the games of the package."""
    kinds = [decision_type(load_game(name)) for name in OUR_GAMES]
    decisions, parts = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    dialect = "https://json-schema.org/draft/2020-12/schema"
    found = {"$schema": dialect, "title": "A decision", "oneOf": list(decisions), "$defs": parts}
    return json.dumps(found, indent=1) + "\n"


def table_schema() -> str:
    """Return docs/table.schema.json: what a page of a table is drawn from."""
    return json.dumps(page_schema(), indent=1) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
    SCHEMA.write_text(schema(), "utf-8")
    DECISION.write_text(decision_schema(), "utf-8")
    TABLE.write_text(table_schema(), "utf-8")
