"""The rules of Strasbourg, to be read beside the board. Marks in parentheses: R rules, A ambiguities, F records.

Preparation. The five round cards are laid out in random order, and an edifice under each. Every family has a shuffled
deck of 24 influence cards, the values 1 to 6 four times each, and 5 coins. The start player has a member on the
nobility seat of the council, the left neighbour one on the church seat. Each player is dealt five tasks and keeps
some of them, at least one, in secret.

Planning. All players draw cards from their own decks at the same time, card by card, until they have enough; then they
divide the cards drawn into face-down stacks. Only the sizes of the stacks are public.

Action. A round card has nine steps. In A to G each player in turn, clockwise from the start player, turns over one
stack or passes; a player who pays a privilege decides later. The highest sum is first and becomes start player; a tie
goes to the first of the tied players, clockwise from the old start player.
- A: the first takes the nobility seat, the second the church seat.
- B, D, F, a guild: the first, as master, takes the guild's seat in the council, and may take a good of the guild and,
  for the printed price, a space of the guild in the city. The second, as journeyman, may take a good and a space, the
  third, as apprentice, a good or a space. With three players there is no journeyman: the second is apprentice.
- C, E, G, the merchants: the first may sell goods, and in G takes the merchants' seat.
- H: the holder of the church seat may build a chapel on a corner.
- I: the holder of the nobility seat may put up the round's edifice on a building site.
Stacks that were turned over leave the game, but a bidder ranked too low to act puts one of the cards under its deck.

Council. Each member in the council earns a point; all players with most members there get a privilege. Unused stacks
leave the game unseen; members stay.

End. After the last round a member in the city is worth a point, and one more for each chapel at a corner of its
space; each edifice pays its number for every member beside it, not diagonally; a privilege is worth a point; a task
kept pays its points or costs three. Most points win, then most members in the city; players still tied share the win.

How to use it. `Game(components, players, round_cards, edifices, tasks, decks, start_player)` runs to the first
decision. Then, until `over`:
- `question` (kind, seat, options, guild), or `actor` and `legal`, describe the pending decision; a single option is
  taken automatically. Options: ("keep", (task, ..)), "stop", "draw", "close", ("add", card), "pass", "defer",
  ("reveal", (card, ..)), "none", "seat", "good", ("place", (column, row)), ("sell", number), ("return", card),
  ("chapel", (column, row)), ("edifice", (column, row));
- `play(option)` decides.
`events` are the lines of the record so far, without the header. The attributes of `reference_table.FullTable` can be
read at any time. At the end there are `scores`, `places` and `winners`.
"""

from strozzi_sim.games.strasbourg.reference_round import plan_round, play_step
from strozzi_sim.games.strasbourg.reference_scoring import score
from strozzi_sim.games.strasbourg.reference_table import FullTable, Play, ask, subsets


class Game(FullTable):
    """One game of Strasbourg, from the choice of tasks to the winners."""

    @property
    def places(self) -> list[int]:
        """The place of each player, 1 = won; tied players share the better place. Empty until the end."""
        results = [(total, len(self.own_members(seat))) for seat, total in enumerate(self.scores)]
        return [1 + sum(other > result for other in results) for result in results]

    def course(self) -> Play:
        """Play the whole game."""
        self.write("setup", round_cards=self.round_cards, edifices=self.edifices, start_player=self.start_player)
        yield from self._keep_tasks()
        for number in range(1, self.rounds + 1):
            self.round = number
            self.write("round", round=number, start_player=self.start_player)  # carried over (R3.2)
            yield from plan_round(self)
            for step in "ABCDEFGHI":
                if (number, step) != (1, "A") or not self.switches["skip_A_round1"]:  # (A4)
                    yield from play_step(self, step)
            self._hold_council()
        end = score(self)
        self.scores, self.winners = end["total"], end["winners"]
        self.write("score_end", **end)

    def _keep_tasks(self) -> Play:
        """Let each player keep tasks, secretly, knowing the orders of round cards and edifices (R2.7, A2, A3, A62)."""
        limits = self.components["tasks_meta"]
        for seat, dealt in enumerate(self.dealt):
            choices = subsets(dealt, limits["keep_min"], limits["keep_max"])
            _, kept = yield from ask("keep_tasks", seat, [("keep", tasks) for tasks in choices])
            self.kept[seat] = list(kept)
            self.write("keep_tasks", player=seat, dealt=list(dealt), tasks=list(kept))

    def _hold_council(self) -> None:
        """Pay prestige for each member in the council, and a privilege for most (R11), in the last round too (A46)."""
        all_seats = range(self.players)
        chairs = [self.seats_held(seat) for seat in all_seats]
        prestige = [self.components["council"]["prestige_per_member_each_council_phase"] * number for number in chairs]
        privileges = [int(number == max(chairs)) for number in chairs]
        for seat in all_seats:
            self.prestige[seat] += prestige[seat]
            self.privileges[seat] += privileges[seat]
            self.unseen[seat] += [card for stack in self.hidden_stacks(seat) for card in stack]  # (R11.3, A34)
            self.stacks[seat], self.unused[seat] = [], []
        held = {"total": list(self.prestige), "held": list(self.privileges), "coins": list(self.coins)}
        held |= {"goods": [sum(goods.values()) for goods in self.goods], "deck": self.decks}
        self.write("council", round=self.round, prestige=prestige, privileges=privileges, **held)
