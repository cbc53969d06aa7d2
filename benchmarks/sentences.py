"""Check every sentence of many reports against its tables: its numbers, whose they are, and whether what it says is certain.

A number is right if a row of the tables shows it at its digits and everything that the row is about is named beside it: the seat, agent,
thing or player count. What is called certain is tested again here, from the intervals of the tables, corrected for all comparisons (Holm).
A verdict or finding names who played, unless all games of the page were played by one line-up, which the note below the answer names.

    python benchmarks/sentences.py                       # 69 reports, 23 of each game
    python benchmarks/sentences.py strozzi --kind sweep  # those of a game, of a kind

Exit codes: 0 all true, 1 a sentence is false or cannot be checked.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from certain import ALPHA, false_claims, holm, kind_of, p_of, pair
from every_report import OF, reports
from shown_rows import ESTIMATE, Shown

from strozzi_sim.declare.pages import report_of


class Said(Shown):
    """The sentences of a report."""

    def table(self, name: str, figure: str, **where: Any) -> pd.DataFrame:
        """Return the rows of a figure."""
        table = self.results.tables[name]
        keep = table["figure"] == figure
        for key, value in where.items():
            keep &= table[key].astype(str) == str(value)
        return table[keep]

    def false_finding(self, page: str, sentence: str) -> list[str]:
        """Return what is wrong with the finding of a page: two rows of what its picture compares, or one and an equal chance."""
        picture, compared, finding = report_of(self.game).comparisons(self.results.tables)[page]
        balance = self.results.tables["balance"]
        usual = balance[balance["lineup"] == self.game.default_agent]
        first = (usual if len(usual) else balance).iloc[0]
        counts = re.findall(r"at (\d) players: ", sentence) or [str(first["players"])]
        where = {"variant": first["variant"], "lineup": first["lineup"], "players": counts[0], **compared.where}
        names = {figure.name for figure in compared.figures}
        rows = self.rows[
            (self.rows["table"] == picture.table) & self.rows["figure"].isin(names) & self.rows["value"].notna()
        ]
        table = self.results.tables[picture.table].iloc[rows["at"].to_numpy(int)]
        keep = np.logical_and.reduce([table[key].astype(str) == value for key, value in where.items()])
        keys = [key for key in dict.fromkeys((compared.key, compared.at)) if key and key != "figure"]
        for key in keys:
            keep &= (
                table[key].astype(str).isin(compared.levels)
                if key == compared.key and compared.levels
                else table[key].astype(str) != "all"
            )
        rows, table = rows[np.asarray(keep)], table[np.asarray(keep)]
        scale = rows["scale"].to_numpy(np.float64)
        text = re.sub(
            r"an equal chance is [\d.]+ %",
            lambda match: " " * len(match[0]),
            sentence.replace("\N{NARROW NO-BREAK SPACE}", " "),
        )
        shown = [own for match in ESTIMATE.finditer(text) if (own := self.behind(text, match, rows, scale))]
        if not shown or (finding.against is None and len(shown) < 2):
            return ["its numbers are not those of its picture"]
        if finding.against is not None:
            null = 1 / int(where["players"]) if finding.against == "equal" else finding.against
            p = dict(zip(rows["at"], holm(p_of(rows, null, self.chunks, share=scale[0] == 100)), strict=True))
            return [] if any(p[row.at] < ALPHA for own in shown for row in own) else ["not certain"]
        open_keys = [*keys, *(["figure"] if len(names) > 1 else [])]
        table = table.reset_index(drop=True)
        place = {at: k for k, at in enumerate(rows["at"])}
        pairs = [
            (table.iloc[place[one.at]], table.iloc[place[two.at]])
            for own in shown
            for one in own
            for others in shown
            for two in others
            if one.at < two.at
        ]
        pairs = [each for each in pairs if sum(each[0][key] != each[1][key] for key in open_keys) == 1]
        return [] if any(pair(self, *each, table, open_keys) for each in pairs) else ["not certain"]

    def names_players(self, sentence: str) -> bool:
        """Return whether a sentence says who played, or need not: all games of the page were played by one line-up."""
        names = {kind_of(self, agent) for lineup in self.study.lineups for agent in lineup}
        is_said = any(name in sentence for name in names) or "different agents" in sentence
        return is_said or bool(re.match("no (?:seat|two)|there are too few", sentence, re.IGNORECASE))

    def checked(self) -> Iterator[tuple[str, str, str]]:
        """Yield (place, sentence, what is wrong or "") of everything that the report says."""
        yield from self.wrong_marks()
        content = self.content
        for key in content.numbers:
            per_cent = key.value.endswith("%")
            value = key.value.removesuffix("\N{NARROW NO-BREAK SPACE}%").lstrip("+")
            interval, sign = key.interval.replace("\N{NARROW NO-BREAK SPACE}", " "), " %" * per_cent
            beside = [interval + sign] if interval.startswith("±") else [sign.strip(), interval] if interval else []
            said = " ".join(filter(None, [value, *beside, key.what]))
            yield "number", said, ", ".join(self.wrong_numbers(said, f"{content.verdict} {content.detail}")[0])
        texts = [
            ("verdict", content.verdict),
            ("subject", content.subject),
            ("detail", content.detail),
            *((section.name, text) for section in content.sections for text in section.sentences),
        ]
        for place, text in texts:
            for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", text):
                wrong, _ = self.wrong_numbers(sentence, f"{content.verdict} {content.detail}")
                wrong += false_claims(self, sentence)
                is_named = self.names_players(f"{text} {content.detail}")
                wrong += ["says not who played"] if place == "verdict" and not is_named else []
                yield place, sentence, "; ".join(wrong)
        pages = {page.title: name for name, page in report_of(self.game).pages.items()}
        for section in self.content.sections:
            title = section.title
            if title != section.name:
                wrong = (
                    self.false_finding(pages[section.name], title)
                    if section.name in pages
                    else self.wrong_numbers(title)[0]
                )
                wrong += [
                    *false_claims(self, title),
                    *(["says not who played"] if len(set(self.lineups)) > 1 and not self.names_players(title) else []),
                ]
                yield "finding", title, "; ".join(wrong)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the reports that are asked for and print what is false."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(OF), help="games; default: all")
    parser.add_argument("--kind", default="", help="only reports whose name begins so")
    asked = parser.parse_args(arguments)
    said = false = pages = 0
    with tempfile.TemporaryDirectory() as folder:
        for game in asked.games:
            for name, play in reports(game, Path(folder)):
                if name.startswith(asked.kind):
                    found = list(Said(play()).checked())
                    wrong = [each for each in found if each[2]]
                    said, false, pages = said + len(found), false + len(wrong), pages + 1
                    print(f"{game}, {name}: {len(found)} sentences, {len(wrong)} false", flush=True)
                    for place, sentence, why in wrong:
                        print(f"    {place}: {sentence}\n        {why}")
    print(f"{pages} reports, {said:,} sentences, {false} false")
    return 1 if false else 0


if __name__ == "__main__":
    sys.exit(main())
