"""The rules in short, for a person at the table; their numbers are those of the components. A line is a paragraph."""

from collections.abc import Mapping
from typing import Any

_TEXT = """\
A game has {rounds} rounds. Before it each family keeps some of its tasks, in secret.
Planning: draw influence cards from your deck as long as you like (draw, stop), then divide all of them into stacks. \
A stack is one bid, so the number of stacks is the number of steps that you can bid in. Cards must last all rounds.
Steps A to G are auctions: in turn each turns over one stack or passes; whoever has a privilege may pay it and wait. \
The highest sum is first, a tie goes to the seat nearer to the start player; who is first is start player from then on.
- A: first takes the nobility seat of the council, second the church seat.
- B, D, F, each for a guild of the round card: first is master: the seat of the guild, and if wanted a good and a member \
in the city. {journeyman} gets either a good or a member.
- C, E, G: first sells goods for what is printed on them; in G they also take the merchants' seat. \
A member costs the price of an empty space of the guild. Who bids without getting a turn puts one card of the bid back \
under the deck; all other cards of a bid are lost.
- H: who holds the church seat may build a chapel. I: who holds the nobility seat may build the edifice of the round.
Council: each of your members there gives {prestige} prestige; who has the most gets a privilege.
At the end: 1 point for each member in the city, {chapel} for each chapel that it touches, the points of each edifice beside \
it, {privilege} for a privilege, the points of each fulfilled task, and {penalty} less for each that is not.
Most points win; a tie goes to more members in the city."""


def short_rules(components: Mapping[str, Any], players: int) -> str:
    """Return the rules in short for a number of players."""
    three = "Second is apprentice and"
    return _TEXT.format(
        rounds=len(components["round_cards"]),
        journeyman=three if players == 3 else "Second may take a good and a member. Third is apprentice and",
        prestige=components["council"]["prestige_per_member_each_council_phase"],
        chapel=components["chapels"]["points_per_adjacent_family_member"],
        privilege=components["privileges"]["end_value"],
        penalty=components["tasks_meta"]["penalty_unfulfilled"],
    )
