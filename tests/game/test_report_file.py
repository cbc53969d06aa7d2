"""A game's `report.toml`: what it declares becomes pictures and heat maps, and what is wrong in it is named with file and key."""

import sys
from itertools import count
from types import SimpleNamespace

import pandas as pd
import pytest

from strozzi_sim.declare.figure_tables import figures_frame
from strozzi_sim.declare.pages import read_report
from strozzi_sim.errors import InputError
from strozzi_sim.facts.blocks import Block, amounts, ratios, shares
from strozzi_sim.facts.columns import Column, Table, labels, yes_or_no
from strozzi_sim.facts.figures import SCORE, WIN_SHARE, Figure

FILE = """
[figures]
win_share = "games won"
[phrases]
exact = "Each figure with its interval."
[words]
pirate = "pirate"
[names]
"flag=pirate" = "pirate flags"
[pages.flags]
title = "Flags"
question = "What is a flag for?"
keys = ["flag"]
[pictures.flags]
page = "flags"
kind = "table"
title = "The flags"
caption = "{exact} And more."
figures = ["win_share"]
x = "flag"
levels = ["*", "all"]
[pictures.leaders]
page = "balance"
kind = "table"
title = "Leaders"
figures."leader_{}_wins_share" = "leader after round {}"
figures.coins_mean = "coins"
x = "figure"
[pictures.compared]
page = "flags"
kind = "intervals"
title = "Compared"
figures = ["win_share"]
x = "players"
series = "scenario"
compared = true
[heatmaps.by-seat]
title = "By seat"
rows = "flag"
columns = "seat"
figure = "win_share"
[questions]
"Which flag wins?" = "by-seat"
"""
BLOCK = Block("use", {"row": "flag", "column": "seat"}, shares(win_share="win"))
CODE = SimpleNamespace(BLOCKS={}, MAPS={"by-seat": BLOCK}, ADD={}, words=lambda tables, data: {"S1": "one"}, board=None)
numbers = count()
USES = Table(
    "use",
    "a flag used",
    (
        Column("flag", "flag", labels(("ware", "pirate"))),
        Column("coins", "coins it brings"),
        yes_or_no("paid", "it pays"),
        Column("cards_left", "cards left", labels(("1", "2"))),
    ),
    max_rows=lambda setting: 9,
)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Return a function that reads a report from the text of its file."""
    monkeypatch.syspath_prepend(tmp_path)

    def read_text(text, code=CODE):
        name = f"game_with_report_{next(numbers)}"
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
        if text:
            (tmp_path / name / "report.toml").write_text(text)
        found = read_report(SimpleNamespace(package=name, name=name, fact_tables=(USES,), player_names={}), code)
        sys.modules.pop(name, None)
        return found

    return read_text


def tables(*variants):
    """Tables of a study of these variants."""
    cells = [{"players": 4, "variant": variant, "lineup": "random"} for variant in variants]
    figures = ["leader_1_wins_share", "leader_2_wins_share", "coins_mean", "score_mean"]
    balance = pd.DataFrame([{**cell, "figure": figure, "value": 1.0} for cell in cells for figure in figures])
    flags = pd.DataFrame(
        [{**cell, "flag": flag, "figure": "win_share"} for cell in cells for flag in ("ware", "pirate", "all")]
    )
    declared = [Figure("leader_1_wins_share", unit="share"), Figure("leader_2_wins_share", unit="share")]
    declared += [Figure("coins_mean", unit="amount"), SCORE, WIN_SHARE]
    return {
        "balance": balance,
        "flags": flags,
        "figures": figures_frame({"balance": balance, "flags": flags}, {"": declared}),
    }


COUNTED = """
[pages.uses]
title = "Uses"
question = "What does a use bring?"
keys = ["flag"]
fact = "use"
figures = { coins_mean = "mean coins", paid_share = "share paid", uses = "count" }
[heatmaps.paid]
title = "Who is paid?"
rows = "flag"
columns = "paid"
value = "mean coins"
where = "flag == pirate"
"""


def test_figures_and_heat_maps_of_a_fact_table_need_no_code(read):
    found = read(COUNTED, None)
    (block,) = found.pages["uses"].blocks
    figures = (*amounts("coins_mean"), *shares("paid_share"), *ratios(uses="rows / games"))
    assert block == Block("use", {"flag": "flag"}, list(figures))
    drawn = found.heat_maps["paid"]
    assert drawn.block == Block(
        "use", {"row": "flag", "column": "paid"}, amounts(mean_coins="coins"), where="flag == pirate"
    )
    assert drawn.caption.startswith("Of each flag used, where flag is pirate: mean coins.")
    own = read(f'{COUNTED}caption = "{{exact}} And more."\n[phrases]\nexact = "Each figure with its interval."\n', None)
    assert own.heat_maps["paid"].caption == "Each figure with its interval. And more."


@pytest.mark.parametrize(
    ("key", "text", "several"),
    [
        ("flag", "flag {flag} is never used", "{count} of {of} flag levels are never used"),
        ("cards_left", "level {cards_left} is never used", "{count} of {of} levels are never used"),
    ],
)
def test_levels_without_a_row_raise_an_alarm_however_long_their_columns_name_is(key, text, several, read):
    (alarm,) = read(COUNTED.replace('["flag"]', f'["{key}"]'), None).alarms.values()
    assert (alarm.text, alarm.several) == (text, several)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            'mean coins", ',
            'average coins", ',
            'pages.uses.figures.coins_mean: must be "count", "mean COLUMN" or "share COLUMN"',
        ),
        ('uses = "count"', 'uses = "count coins"', "pages.uses.figures.uses: must be"),
        ('columns = "paid"', 'columns = "coins"', "heatmaps paid: columns: coins has no levels"),
        ('value = "mean coins"', 'value = "coins"', "heatmaps paid: value: must be"),
    ],
)
def test_what_a_file_cannot_count_is_named(read, old, new, words):
    assert old in COUNTED
    with pytest.raises(InputError) as refused:
        read(COUNTED.replace(old, new), None)
    assert words in str(refused.value)


def test_pictures_follow_the_tables(read):
    flags, leaders = read(FILE).pictures(tables("base"))
    assert flags.caption == "Each figure with its interval. And more."
    assert [(each.name, each.label, each.unit) for each in flags.figures] == [("win_share", "games won", "share")]
    assert flags.levels == ("ware", "pirate", "all")
    assert [(each.name, each.label, each.unit) for each in leaders.figures] == [
        ("leader_1_wins_share", "leader after round 1", "share"),
        ("leader_2_wins_share", "leader after round 2", "share"),
        ("coins_mean", "coins", "amount"),
    ]


def test_pictures_that_compare_are_last_and_only_there_for_several_variants(read):
    assert [each.name for each in read(FILE).pictures(tables("base", "other"))] == ["flags", "leaders", "compared"]
    assert [each.name for each in read(FILE).pictures({"balance": tables("base")["balance"]})] == ["leaders"]
    assert read(FILE).pictures({name: table[:0] for name, table in tables("base").items()}) == []


def test_heat_maps_have_their_blocks_and_words_are_the_file_s_and_the_code_s(read):
    report = read(FILE)
    assert report.heat_maps["by-seat"].block == BLOCK
    assert report.questions == {"Which flag wins?": "by-seat"}
    assert report.words({}, {}) == {"pirate": "pirate", "S1": "one"}
    assert (report.pages["flags"].title, report.pages["flags"].question) == ("Flags", "What is a flag for?")
    assert report.pages["flags"].keys == ("flag",)


def test_a_game_without_one_has_the_page_of_every_game(read):
    report = read("", None)
    assert report.is_default
    assert list(report.pages) == ["balance"]
    assert report.pictures(tables("base")) == []
    with pytest.raises(InputError, match=r"report\.py needs a report\.toml"):
        read("")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('kind = "table"', 'kind = "tabel"', r"pictures\.flags\.kind: invalid value 'tabel'; known: .*did you mean 'table'"),
        ('page = "flags"\nkind', 'page = "flgas"\nkind', r"pictures\.flags\.page: unknown page 'flgas'; known: .*did you mean 'flags'"),
        ('figures = ["win_share"]', 'figures = ["wins"]', r"pictures\.flags\.figures: unknown label of figures 'wins'"),
        ("{exact}", "{exat}", r"pictures\.flags\.caption: unknown phrase 'exat'; .*'exact'"),
        ('= "by-seat"', '= "by-saet"', r"questions\.'Which flag wins\?': unknown heat map 'by-saet'; .*'by-seat'"),
        ('columns = "seat"', 'columns = "seat"\nblock = "by-saet"', r"heatmaps\.by-seat\.block: unknown block 'by-saet' .*did you mean 'by-seat'"),
        ('x = "flag"\n', 'x = "flag"\nfinding = "{mots} wins"\n', r"pictures\.flags\.finding: unknown slot 'mots'; known: "),
        ("[words]", "[words", "not a TOML file"),
        ("[words]", "[wrods]", "unknown key 'wrods'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_file_and_key(read, old, new, words):
    assert old in FILE
    with pytest.raises(InputError, match=rf"report\.toml: .*{words}"):
        read(FILE.replace(old, new, 1))


def test_a_page_of_report_py_that_the_file_lacks_is_named(read):
    code = SimpleNamespace(**{**vars(CODE), "BLOCKS": {"flgas": ()}})
    with pytest.raises(InputError, match=r"report\.toml: pages: no 'flgas', which report\.py has; .*'flags'"):
        read(FILE, code)
