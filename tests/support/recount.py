"""Facts told in plain Python from the lines of records, beside the rows that a study keeps of the same games."""

from collections import defaultdict
from numbers import Real

from strozzi_sim.play.records import record_game
from study_examples import played


def text_of(value):
    """A value as it is compared: yes is 1, and a number the text of its level."""
    return f"{float(value):.10g}" if isinstance(value, Real) else str(value)


def assert_recounted(told, game, players, agents, deals, *, variant="base", changes=None, seed=17):
    """Assert that every table that `told` tells has these rows and no others.

    Args:
        told: function of the lines of a record and of `add(table, **columns)`, which it calls for every row of some tables.
        game: name of the game.
        players: number of players.
        agents: agents that take turns at the seats.
        deals: number of games.
        variant: name of the variant.
        changes: changes that make it, if it is not shipped.
        seed: seed of the games.
    """
    expected, names = defaultdict(list), agents.split(",")
    keys = {"game": game, "players": [players], "deals": deals, "seed": seed, "seatings": "one", "variants": [variant]}
    keys |= {"lineups": [[names[seat % len(names)] for seat in range(players)]], "report": {"pages": ["balance"]}}
    keys |= {"variant": {variant: changes}} if changes else {}
    (cell,) = played({**keys, "deals": 1}).study.cells
    for deal in range(deals):

        def add(table, deal=deal, **columns):
            expected[table].append({"deal": deal, **columns})

        told(record_game(cell.match, deal, 0), add)
    results = played({**keys, "facts": list(expected)})
    for table, rows in expected.items():
        columns, frame = list(rows[0]), results.facts(table)
        found = sorted(tuple(map(text_of, row)) for row in frame[columns].astype(object).itertuples(index=False))
        assert found == sorted(tuple(text_of(row[column]) for column in columns) for row in rows), (table, columns)
