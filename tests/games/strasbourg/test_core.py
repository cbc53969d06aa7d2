"""Games of the kit reach every phase and every kind of action, so that what is compared with the reference is all there is."""

from strasbourg_games import KIT, variant
from strozzi_sim.games.strasbourg import state as s


def test_every_phase_and_action_occurs():
    phases, actions = set(), set()
    for name in ("base", "seat-optional", "two-values", "all-flipped"):
        for deal in range(30):
            table = KIT.position(variant(name), 4, deal)
            for action in KIT.script(table, f"seen {name} {deal}"):
                phases.add(int(table.state["phase"][0]))
                actions |= set(table.legal)
                table.play(action)
    assert phases == set(range(s.OVER))
    wanted = {*range(1, 44), *range(67, 70), *range(s.SELL_GOODS, s.SELL_GOODS + 2), *range(s.EDIFICE, s.EDIFICE + 7)}
    assert wanted - {0} <= actions
