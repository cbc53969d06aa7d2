"""The rows of a report's tables that show its numbers: those that have a number at its digits, and all of which is named beside it."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from certain import kind_of

from strozzi_sim.declare.pages import report_of
from strozzi_sim.facts.figures import UNITS
from strozzi_sim.game.component_names import name_of_key
from strozzi_sim.game.restricting import noun_of
from strozzi_sim.game.sentences import seat_words

CELL, FIGURE = ("players", "variant", "lineup"), ("figure", "value", "low", "high", "n", "deals")
UNNAMED = {"by", "inside", "simulated", "band_low", "band_high", "map", "round", "chosen", "table", "than", "p", "p_corrected", "size", "verdict", "before", "status", "least", "most", "place_low", "place_high", "first", "second", "strength", "outcome"}  # fmt: skip
NUMBER = r"(?<![\w.])\N{MINUS SIGN}?\d[\d,]*(?:\.\d+)?"
ESTIMATE = re.compile(
    rf"(?P<value>{NUMBER})(?: ± (?P<half>{NUMBER}))?(?:(?: %| points)(?= \())?(?: \((?P<low>{NUMBER}) to (?P<high>{NUMBER})\))?(?P<unit> %| points)?"
)
ASIDE = re.compile(  # numbers of the plan, of the method and of the components, and those that `bounds` checks
    r"(?:\d+, )*(?:\d+ and )?\d+ players|levels? [\d.]+ (?:of|to) [\d.]+|level 0 errs about [\d.]+|\d+ games tell it to ± [\d.]+|; ± [\d.]*\d(?: to [\d.]*\d)?(?=[;.])|With 95 % certainty|seat \d|to within 0.5 points|[\d.]+ % would be equal|equal chance is [\d.]+ %|half of [\d,]+|\([\d.]+ to [\d.]+; chance \d+\)|half a game of 100|games of 100 apart|of 100(?=[,:])|at (?:\d, )*(?:\d and )?\d(?= nobody|; at)|(?:[\d.]+, )*(?:[\d.]+ and )?[\d.]+ of \d+ (?:games)?|(?:one|\d of \d|player wins) [\d.]+\b|[\d.]+ would be (?:fair|equal)|instead of [\d.]+|from [\d.]+ to [\d.]+ points|\(gap .*?\)|Fairest found[^(]*|Also fairer than .*|the published [^(]*|Luck decides \d+ % of who wins|Each plays alone among .*|at [\d.]+ seconds|[Aa] leak in [\d.]+ %|probability is \d+ %|"
    r"(?<![\d.])[\d,]+ (?:deals?|games?|decisions|cells|figures|styles|challengers|strengths)\b|\d+ of \d+ |Of [\d,]+ figures, .*|and \d+ more|[a-z_]\w*\.[\w.]+(?: = [\d.; and]+)?|up to [\d.,]+(?: points?| games of 100)?|the winner at [\d.]+(?: to [\d.]+)? of [\d,]+ decisions|at [\d.]+ seconds each|a chance of at most [\d.]+ of 100|[\d.]+ in the [\d.]+ of 100 games with it|at most [\d.]+ points? more|changes \d+ values? of .*"
)  # fmt: skip


def number(text: str) -> float:
    """Return the number that a text shows."""
    return float(text.replace(",", "").replace("\N{MINUS SIGN}", "-").replace("+", ""))


def step_of(text: str, half: Any) -> Any:
    """Return what the last digit of a text is worth; tens are shown if half its interval is worth no more, or of four digits."""
    whole, _, part = text.partition(".")
    zeros = 3 if number(text) == 0 and not part else 0 if part else len(whole) - len(whole.rstrip("0"))
    step = 10.0 ** -len(part) if part else 1.0
    for k in range(1, zeros + 1):
        step = np.where((np.nan_to_num(half) > 0.98 * 10**k) | (len(whole.replace(",", "")) - 3 >= k), 10.0**k, step)
    return step


def shows(text: str, value: Any, half: Any = np.nan, outwards: int = 0) -> Any:
    """Return whether a text shows a value at its digits: the nearest number, or also the next one below (-1) or above (1)."""
    step, off = step_of(text, half), number(text) - value
    near = 1e-6 * np.maximum(1, np.abs(value))
    return (np.abs(off) <= 0.5 * step + near) | ((outwards * off > 0) & (outwards * off <= abs(outwards) * step + near))


def with_reach(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table sweep with an interval of every gap: as far as chance moves equal seats."""
    chance = table[table["figure"] == "seat_gap_by_chance"].set_index(list(CELL))["value"]
    reach = chance.reindex(pd.MultiIndex.from_frame(table[list(CELL)])).to_numpy()
    gap = (table["figure"] == "seat_gap") & table["low"].isna()
    low, high = (table["value"] - reach).clip(lower=0), (table["value"] + reach).clip(upper=1)
    return table.assign(low=table["low"].mask(gap, low), high=table["high"].mask(gap, high))


def rest_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of the variance that is not who plays, of each field."""
    agents = table[(table["source"] == "agents") & (table["figure"] == "variance_share")]
    return agents.assign(value=1 - agents["value"], low=1 - agents["high"], high=1 - agents["low"])


class Shown:
    """The content of a report, and the rows of its tables."""

    def __init__(self, results: Any) -> None:
        from strozzi_sim.report.outline import Outline
        from strozzi_sim.report.write import content
        from strozzi_sim.study.kinds.luck import WORDS

        self.text, self.sources = results.summary, {**WORDS, "agents": "who plays|luck"}
        self.results, self.study, self.outline = results, results.study, Outline(results)
        self.content = content(self.outline)
        self.chunks, self.game = self.study.chunks or 200, self.study.the_game
        self.lineups = [",".join(lineup) for lineup in self.study.lineups]
        frames = []
        measured = results.tables["figures"]
        units = zip(measured["table"], measured["name"], measured["unit"], strict=True)
        factors = {(table, figure): float(UNITS[unit].factor) for table, figure, unit in units}
        limits = zip(measured["table"], measured["name"], measured["lowest"], measured["highest"], strict=True)
        ranges = {(table, figure): (lowest, highest) for table, figure, lowest, highest in limits}
        for name, table in results.tables.items():
            if name == "bands":  # of score sheets: beside each value the band of games that play so
                bare = table.assign(low=np.nan, high=np.nan)
                middle = table["simulated"]
                band = {"low": table["band_low"] - middle, "high": table["band_high"] - middle}
                parts = [
                    table.assign(value=middle, low=table["band_low"], high=table["band_high"]),
                    bare.assign(value=table["value"] - middle),
                    table.assign(value=0.0, **band),
                    *(bare.assign(value=table[end]) for end in ("band_low", "band_high")),
                ]
                table = pd.concat([table, *parts])
            if name == "sweep":
                table = with_reach(table)
            if name == "luck":  # luck is all that is not who plays
                table = pd.concat([table, rest_of(table)])
            if name == "difference" and getattr(results.study, "is_of_variants", False):
                # A page shows the second variant minus the first.
                numbers = ~table["figure"].str.endswith("_variance_saved"), ["value", "low", "high"]
                table = table.copy()
                table.loc[numbers] = -table.loc[numbers[0], ["value", "high", "low"]].to_numpy()
            if {"figure", "value", "n"} <= {*table.columns} and name != "explorer" and len(table):
                known = {
                    *CELL,
                    *FIGURE,
                    *UNNAMED,
                    *(["level"] if name == "weights" else []),
                }  # a step's dot is its largest change
                keys = [column for column in table if column not in known and table[column].nunique() > 1]
                found = pd.DataFrame({column: table.get(column, "" if column in CELL else np.nan) for column in (*CELL, *FIGURE)})  # fmt: skip
                found["at"] = range(len(table))
                sources = table["table"] if "table" in table else [name] * len(table)
                found["scale"] = [factors.get(place, 1.0) for place in zip(sources, table["figure"], strict=True)]
                reach = [ranges.get(place, (np.nan, np.nan)) for place in zip(sources, table["figure"], strict=True)]
                lowest, highest = np.transpose(reach).astype(float)
                found["raw"] = found["value"]
                found["lowest"] = np.where(np.isnan(lowest), -np.inf, lowest)
                found["highest"] = np.where(np.isnan(highest), np.inf, highest)
                if name in ("changes", "difference"):  # of figures, whose range is not that of a difference
                    found["lowest"], found["highest"] = -np.inf, np.inf
                frames.append(found.assign(table=name, keys=list(zip(*[[(key, value) for value in table[key]] for key in keys], strict=True)) or [()] * len(table)))  # fmt: skip
                if name == "changes":
                    frames.append(
                        frames[-1].assign(value=table["before"], raw=table["before"], low=np.nan, high=np.nan)
                    )
                if name == "seats":  # a share of wins is shown from an equal share, too
                    won = frames[-1][frames[-1]["figure"] == "win_share"]
                    ends = {end: won[end] - 1 / won["players"] for end in ("value", "low", "high")}
                    frames.append(won.assign(**ends, raw=ends["value"], lowest=-1.0))
        self.rows = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*CELL, *FIGURE, "at", "scale", "table", "keys", "raw", "lowest", "highest"])  # fmt: skip
        if len(self.rows):  # no number is shown outside the range of its figure
            shown = self.rows[["value", "low", "high"]].astype(float)
            self.rows[[*shown]] = shown.clip(self.rows["lowest"], self.rows["highest"], axis=0)
        self.scale = self.rows["scale"].to_numpy(np.float64)
        strengths = (
            results.tables["ratings"].query("figure == 'strength'")
            if "ratings" in results.tables
            else pd.DataFrame({"agent": [], "value": []})
        )
        self.place = {agent: k for k, agent in enumerate(strengths.sort_values("value", ascending=False)["agent"], 1)}
        self._words: dict[tuple[str, str], dict[str, str]] = {}
        self._called: dict[Any, list[re.Pattern[str]]] = {}

    def noun(self, thing: str) -> str:
        """Return what a thing is called in a sentence."""
        return noun_of(self.game, self.study.variant_of[self.study.reference], thing)

    def called(self, row: Any) -> list[re.Pattern[str]]:
        """Return what a row is about, each as a pattern of the words that name it; what all rows of a table share is not named."""
        about = (row.players, row.variant, row.lineup, row.keys)
        if about not in self._called:
            several = [{rf"{row.players}(?:, \d)*(?: and \d)? players"}] if len(self.study.players) > 1 else []
            levels = [(key, f"{value:g}" if isinstance(value, float) else str(value)) for key, value in row.keys]
            names = several + [
                self._names(row, key, text) for key, text in levels if text not in ("all", "", "None", "nan", "<NA>")
            ]
            self._called[about] = [
                re.compile(rf"(?<![\w.])(?:{'|'.join(sorted(each))})(?!\w|\.\d)", re.IGNORECASE) for each in names
            ]
        return self._called[about]

    def _names(self, row: Any, key: str, text: str) -> set[str]:
        """Return patterns of the words that name a level."""
        cell, declared = (row.variant, row.lineup), report_of(self.game)._declared
        if cell not in self._words:
            known = row.variant in self.outline.variants
            self._words[cell] = {**(self.outline.words(*cell) if known else {}), **declared.words}
        found = {text, text.replace("_", " "), self.sources.get(text, text)} | {
            words.get(k, text) for words in (self._words[cell], declared.names) for k in (f"{key}={text}", text)
        }
        seat = re.fullmatch(r"(?:seat )?(\d)", text) if key in ("seat", "level") else None
        players = row.players or max(self.study.players)  # a table of score sheets has no column of it
        if seat and int(seat[1]) < players:
            words = seat_words(int(seat[1]), players).removeprefix("the ")
            found |= {words, words.removesuffix(" player")}
            found |= {f"seat {seat[1]}"} if key == "seat" else set()
        if key == "key":
            found |= {name_of_key(self.game, text).label}
        if key in ("agent", "challenger", "position"):
            found |= {kind_of(self, each) for each in found}
            found |= {each.replace("random moves", "player who moves at random") for each in found}
        if key == "thing":
            found |= {(noun := self.noun(text)), noun.removeprefix("the ")}
        if key == "opponent" and text in self.place:
            found.add(f"ahead of number {self.place[text]}")
        found = {part for each in found for part in each.split("|")}
        return {
            re.escape(re.sub(r"\s+", " ", part)).replace(r"\ ", " ")
            for each in found
            for part in (each, each.split(" \N{MIDDLE DOT} ")[0])
        }

    def behind(self, sentence: str, match: re.Match[str], rows: pd.DataFrame, scale: Any) -> list[Any]:
        """Return the rows that show a number of a sentence and all of which it names."""
        half = np.maximum(rows["high"] - rows["value"], rows["value"] - rows["low"]).to_numpy(float) * scale
        fits, about_change = np.zeros(len(rows), bool), bool(re.search("change|minus|than", sentence))
        value = rows["value"].to_numpy(float) * scale
        for moved in (value, -value) if "missed" not in sentence else (value,):
            fits |= shows(match["value"], moved, half)
        for side, outwards in (("low", -1), ("high", 1)):
            if match[side]:
                fits &= shows(match[side], rows[side].to_numpy(float) * scale, half, outwards)
        if match["half"]:
            step = 10.0 ** -len(match["half"].partition(".")[2])
            fits &= (number(match["half"]) >= half - 1e-6) & (
                (number(match["half"]) - half < 10 * step) | (half < step)
            )
        fits &= about_change | (rows["table"] != "changes").to_numpy()
        text = re.sub(r"\s+", " ", sentence)
        return [
            row for row in rows[fits].itertuples(index=False) if all(each.search(text) for each in self.called(row))
        ]

    def wrong_numbers(self, sentence: str, before: str = "") -> tuple[list[str], list[list[Any]]]:
        """Return the numbers of a sentence that no row shows of which it, or what stands before it, speaks, and the rows of the others."""
        text = sentence.replace("\N{NARROW NO-BREAK SPACE}", " ")
        plain = ASIDE.sub(lambda match: " " * len(match[0]), text)
        agents = {agent for each in self.study.lineups for agent in each}
        keys = self.results.tables["weights"]["key"].unique() if "weights" in self.results.tables else ()
        labels = {name_of_key(self.game, key).label for key in keys}
        names = {*self.lineups, *agents, *self.study.variant_of, *self.game.tiers.values(), *labels}
        for name in sorted(names, key=len)[::-1]:
            for written in (name, name.replace(",", ", ")):
                plain = plain.replace(written, " " * len(written))
        unknown, known = [], []
        for match in ESTIMATE.finditer(plain):
            rows = self.behind(text, match, self.rows, self.scale) or self.behind(
                f"{before} {text}", match, self.rows, self.scale
            )
            known += [rows] if rows else []
            unknown += [] if rows else [match[0]]
        levels = [
            match[0] for rows in known for row in rows for each in self.called(row) for match in each.finditer(text)
        ]
        return [
            each
            for each in unknown
            if not any(re.search(rf"(?<!\d){re.escape(each.strip())}(?!\d)", level) for level in levels)
        ], known

    def wrong_marks(self) -> Iterator[tuple[str, str, str]]:
        """Yield (place, sentence, what is wrong) of every mark, cell and number: wrong only if no row shows it that it names."""
        of_n = dict(self.rows.groupby("n").indices.items())
        items = [*self.content.hero, *(item for section in self.content.sections for item in section.items)]
        scenario_of = {part.name: scenario for item in items if item.kind == "picture" for scenario, part in item.parts}
        tips = [
            (name, f"{name}: {scenario_of[name]}, {row[-1]}")
            for name, chart in self.content.pictures.items()
            for row in chart.data()["rows"]
        ]
        for item in items:
            for _, part in item.parts:
                for panel in part.panels if item.kind == "heat" else ():
                    tips += [
                        (item.anchor, f"{panel.title}, {cell.tip}") for _, row in panel.rows for cell in row if cell
                    ]
                for names, cells in part.rows if item.kind == "table" else ():
                    shown = zip(part.columns, cells, strict=True)
                    yield from ((item.anchor, f"{names} {label}: {cell.text} {cell.tip}", wrong) for (label, sign, _), cell in shown if cell for wrong in [self.wrong_cell(cell)])  # fmt: skip
        for place, tip in tips:
            said, _, n = tip.partition(", n = ")
            match = ESTIMATE.match(said.rpartition(": ")[2])
            if not n or match is None:
                yield place, tip, "" if "too few" in tip or "half of all" in tip else "no number"
                continue
            at = of_n.get(int(n.partition(";")[0].replace(",", "")), np.array([], int))
            rows = self.behind(tip, match, self.rows.iloc[at], self.scale[at])
            yield place, tip, "" if rows else "no row shows this"

    def wrong_cell(self, cell: Any) -> str:
        """Return what is wrong with a cell of a table: its text, its interval, or numbers that no row has."""
        value, low, high, n = (float(text) if text else np.nan for text in cell.numbers)
        if np.isnan(value) or cell.text.startswith("<"):
            return ""
        of_tables = self.rows["raw"].astype(float)
        rows = self.rows[np.isclose(of_tables, value, rtol=1e-5) | np.isclose(100 * of_tables, value, rtol=1e-5)]
        limits = {(1.0, -np.inf, np.inf), *zip(rows["scale"], rows["lowest"], rows["highest"], strict=True)}
        found = [
            self._wrong_in(cell, rows, *np.clip([value, low, high], scale * lowest, scale * highest), n)
            for scale, lowest, highest in limits
        ]
        return min(found, key=len)

    def _wrong_in(self, cell: Any, rows: pd.DataFrame, value: float, low: float, high: float, n: float) -> str:
        half = max(high - value, value - low)
        wrong = [] if shows(cell.text, value, half) else [f"not {value}"]
        wrong += [] if len(rows) and (np.isnan(n) or (rows["n"] == n).any()) else ["no row has it"]
        found = re.match(rf"95 % interval ({NUMBER}) to ({NUMBER})", cell.tip.replace("\N{NARROW NO-BREAK SPACE}", " "))
        wrong += ["interval"] if found and not all(shows(text, end, half, side) for text, end, side in zip(found.groups(), (low, high), (-1, 1), strict=True)) else []  # fmt: skip
        return ", ".join(wrong)
