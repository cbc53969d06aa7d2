"""Study files: an error names the file and the key, those of a table `report` with it."""

import pytest

import strozzi_sim as ss
from strozzi_sim.cli.folders import run as run_file
from strozzi_sim.errors import InputError

FILE = 'name = "mine"\ngame = "strozzi"\nplayers = [3]\ndeals = 40\nlineups = [["random"]]\n'
WRONG = {
    "deal = 3": "deal: unknown key of a balance",
    'kind = "x"': "kind: unknown kind 'x'; known: balance",
    'kind = ["balance"]': "kind: unknown kind ['balance']; known: balance",
    "chunks = 0": "chunks: must be between 1 and 100,000, got 0",
    "precision = 99": "precision: must be between 0.01 and 25, got 99",
    "luck_redraws = 3": "luck_redraws: is for a study with luck",
    'worth = ["x"]': "worth: cannot be restricted: restriction 'x'",
    'facts = ["x"]': "facts: no fact table 'x'; known: game, seat",
    "rows = 3": "rows: expected true or false, got 3",
    "report = 3": "report: expected a table of keys, got 3",
    '[report]\npages = ["x"]': "report.pages: unknown page 'x'; known: balance",
    '[report]\npage = ["x"]': "report.page: unknown key; known: name, question, pages",
    "effect = 0.1\n[report]\neffect = 0.2": "report.effect: effect is given outside the table too; give one of them",
    '[report]\nquestion = "variants"': "report.question: 'variants' needs a second variant",
    "[report]\neffect = 3": "report.effect: expected a number <= 1.0, got 3",
    '[[heatmap]]\nname = "a"\nrow = "x"': "heatmap[0]: unknown key 'row'",
    "variants = 3": "variants: expected the name of a variant, a name with its changes, or a Variant, got 3",
    "variant = 3": "variant: expected changes by name, got 3; list names in variants",
    'variants = ["base", "b"]\n[variant.b.tracks]\nbonus = { 7 = "x" }': "variant.b: tracks.bonus.7: expected a whole number, got 'x'",
    '[sweep]\n"tracks.no" = [1, 2]': "sweep: tracks.no=1: tracks: unknown key 'no'",
}


REFUSED = {  # by kind; one among equals, and three that differ
    "balance": {
        'worth = ["flag:pirate"]|three': "worth: needs a line-up of one agent",
        "precision = 5\nsearch_deals = 20|searching": "search_deals: a precision needs a line-up that plays all deals",
    },
    "worth": {
        'things = ["flag:pirate"]|three': "lineups: a worth is measured of one agent",
        'things = ["flag:pirate"]\nprecision = 5\nsearch_deals = 20|searching': "search_deals: a precision needs",
        'things = ["flag:pirate"]\npages = ["flags"]|one': "pages: a worth has neither pages nor heat maps",
        'things = ["flag:pirate"]\nquestion = "seats"|one': "question: a worth answers its own question",
    },
    "luck": {
        "|one": "lineups: luck is measured with line-ups of several agents",
        "|copies": "lineups: luck is measured with line-ups of several agents",
        'seatings = "one"|three': "seatings: luck is measured",
        "followed = 29|three": "followed: must be between 30 and",
        "playouts = 49|three": "playouts: must be between 50 and",
        "seconds = 0.001|three": "seconds: must be between 0.01 and",
    },
    "exploit": {
        "deals = 1|equals": "deals: must be at least 2",
        "chunks = 1|equals": "deals: must be at least 2, in 2 chunks",
        'seatings = "one"|equals': "seatings: with one a challenger keeps its seat",
        "|three": "lineups: expected one challenger each",
        "|one": "lineups: expected one challenger each",
    },
    "leak_check": {
        "|two": "lineups: one agent is checked",
        "|equals": "lineups: one agent is checked",
        'variants = ["base", "long-tracks"]|one': "variants: one agent is checked",
        "rows = true|one": "rows: a leak_check keeps no rows",
        'facts = ["round"]|one': "facts: a leak_check keeps no rows",
    },
    "our_table": {
        "sheets = { 4 = [[1, 2, 3, 4]] }|one": "sheets: expected scores of every player count",
        "sheets = { 3 = [[1, 2, 3]] }|equals": "sheets: expected scores of every player count",
        "sheets = { x = [[1, 2, 3]] }|one": "sheets: expected scores of every player count",
        "sheets = { 3 = [[1, 2]] }|one": "sheets: expected scores of every player count",
    },
    "tournament": {
        "|two": "lineups: 3 players need",
        'seatings = "one"|one of each': "seatings: with one",
        "search_deals = 20|one of each, searching": "search_deals: a tournament plays all matchups on the same deals",
    },
    "compare_agents": {
        "decided = true|equals": "decided: needs a precision",
        "|one of each": "lineups: a comparison has two sides, got 3 at 3 players",
        "search_deals = 20|a searching side": "search_deals: both sides play the same deals",
    },
    "sweep": {
        'variants = ["base", "long-tracks"]\nsweep = { "setup.rounds" = [2, 3] }|one': "sweep: changes one variant",
        'sweep = { "setup.rounds" = [2, 2] }|one': "sweep: give one or 2 keys",
        'sweep = { "setup.rounds" = [3] }|one': "sweep: give one or 2 keys",
        'sweep = { "setup.rounds" = [2, 3] }\nquestion = "seats"|one': "question: a sweep answers its own question, variants",
    },
}
LINEUPS = {
    "one": '[["random"]]',
    "two": '[["random"], ["greedy"]]',
    "one of each": '[["random"], ["greedy"], ["eager"]]',
    "searching": '[["flat_mc"]]',
    "one of each, searching": '[["random"], ["greedy"], ["flat_mc"]]',
    "a searching side": '[["greedy", "random", "random"], ["flat_mc", "random", "random"]]',
    "copies": '[["random", "random", "random"]]',
    "equals": '[["random", "greedy", "greedy"]]',
    "three": '[["random", "greedy", "eager"]]',
}


@pytest.mark.parametrize(("kind", "line"), [(kind, line) for kind, lines in REFUSED.items() for line in lines])
def test_a_kind_refuses_what_it_cannot_measure(kind, line, tmp_path):
    file, (keys, lineups) = tmp_path / "study.toml", line.split("|")
    file.write_text(
        f'name = "mine"\ngame = "strozzi"\nplayers = [3]\nkind = "{kind}"\nlineups = {LINEUPS[lineups]}\n{keys}\n'
    )
    with pytest.raises(InputError) as caught:
        ss.read_study(file)
    assert str(caught.value).startswith(f"{file}: {REFUSED[kind][line]}")


@pytest.mark.parametrize("line", WRONG)
def test_an_error_names_the_file_and_the_key(line, tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(f"{FILE}{line}\n")
    with pytest.raises(InputError) as caught:
        ss.read_study(file)
    assert str(caught.value).startswith(f"{file}: {WRONG[line]}")


def test_a_file_has_an_explorer_unless_its_report_says_no(tmp_path):
    file = tmp_path / "study.toml"
    for more, has in (("", True), ("[report]\nexplorer = false\n", False), ("[report]\nexplorer = true\n", True)):
        file.write_text(FILE + more)
        assert ss.read_study(file)[1].explorer == has


def test_deals_of_the_command_replace_those_of_a_file_that_can_grow(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text(FILE)
    assert run_file(file, deals=60, folder=tmp_path / "out", workers=1, progress=False).n_games == 60
    for deals, why in ((0, "deals: must be between 1 and"), ("x", "deals: must be a whole number")):
        with pytest.raises(InputError, match=why):
            run_file(file, deals=deals, folder=tmp_path / "out", progress=False)
    file.write_text(FILE + "precision = 5\n")
    with pytest.raises(InputError, match="deals: a study with a precision or search_deals"):
        run_file(file, deals=60, folder=tmp_path / "other", progress=False)
