"""Short rules for a human player, with the numbers of the components; each line is a paragraph."""

from collections.abc import Mapping
from typing import Any

_TEXT = """\
A game has {rounds} rounds. Before the first, each player keeps some of their tasks, in secret.
Planning: draw influence cards from your deck as long as you like (draw, stop), then divide all of them into stacks. \
A stack is one bid, so you can bid in as many steps as you have stacks. Cards must last all rounds.
Steps A to G are auctions: in turn each seat turns over one stack or passes; a seat may pay a privilege to wait. \
The highest sum is first; a tie goes to the seat nearer to the start player. The first is the new start player.
- A: the first takes the nobility seat of the council, the second the church seat.
- B, D, F, each for a guild of the round card: the first is master: the guild's seat, and optionally a good and a \
member in the city. {journeyman} gets either a good or a member.
- C, E, G: the first sells goods for their printed value, and in G also takes the merchants' seat. \
A member costs the price of an empty space of the guild. A bidder who gets no turn puts one card of the bid back \
under the deck; all other cards of a bid are lost.
- H: the holder of the church seat may build a chapel. I: the holder of the nobility seat may build the edifice of \
the round.
Council: each of your members there pays {prestige} prestige; the seat with most members gets a privilege.
At the end: 1 point for each member in the city, {chapel} for each chapel that it touches, the points of each edifice \
beside it, {privilege} for a privilege, the points of each fulfilled task, and {penalty} less for each unfulfilled one.
Most points win; a tie goes to more members in the city."""


def short_rules(components: Mapping[str, Any], players: int) -> str:
    """Return the short rules for a number of players."""
    return _TEXT.format(
        rounds=len(components["round_cards"]),
        journeyman="The second is apprentice and"
        if players == 3
        else "The second may take a good and a member. The third is apprentice and",
        prestige=components["council"]["prestige_per_member_each_council_phase"],
        chapel=components["chapels"]["points_per_adjacent_family_member"],
        privilege=components["privileges"]["end_value"],
        penalty=components["tasks_meta"]["penalty_unfulfilled"],
    )
