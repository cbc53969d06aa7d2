"""The table of Strasbourg, folded from the lines of a record; `table.js` draws it.

The points if the game ended now, without tasks, are not in a record; they follow from the council's prestige, the
privileges, the map and the components.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from strozzi_sim.errors import InputError, pluralize
from strozzi_sim.game.converting import converted
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.table import GameTable, Json, Line
from strozzi_sim.games.strasbourg import state as s
from strozzi_sim.games.strasbourg.events import STEP_SUBJECTS, stack_name
from strozzi_sim.games.strasbourg.geometry import city_of, corner_name, space_name
from strozzi_sim.games.strasbourg.tasks import task_names

_STEPS = STEP_SUBJECTS | {"G": "sale of goods and the merchants' seat"}
_LABELS = {s.STOP: "Stop drawing", s.DRAW_CARD: "Draw a card", s.CLOSE: "Close this stack", s.SEAT: "Take the seat"}
_LABELS |= {s.PASS: "Pass", s.NONE: "No, thanks"}


class StrasbourgTable(GameTable):
    """The steps, the city, the council, and each seat's stacks, bids, goods and coins."""

    tie_break = "ahead on the tie-break"
    over_now = "Points if the game ended now, without tasks: councils so far, members, chapels, edifices, privileges."
    sources = ("council", "city", "chapels", "edifices", "privileges", "tasks")

    def set_up(self) -> None:
        components, seats = self.components, range(self.players)
        city, self._city = components["city"], city_of(components)
        self._guilds = components["guilds"]["order"]
        self._round_cards = {card["id"]: card["guilds"] for card in components["round_cards"]}
        self._edifices = {edifice["id"]: edifice["points"] for edifice in components["edifices"]}
        conditions = task_names(components, self.players)
        self._tasks = {
            task["id"]: {"id": task["id"], "text": self._task_words(conditions[task["id"]]), "points": task["points"]}
            for task in components["tasks"]
        }
        guilds, prices = ([row.split() for row in city[name]] for name in ("guild_map", "price_map"))
        board: Json = {"columns": city["columns"], "rows": city["rows"]}
        board |= {"letters": dict(components["guilds"]["letters"]), "values": dict(components["goods"]["value"])}
        board["corners"] = [list(site) for site in self._city.chapel_sites]
        board["map"] = [[list(cell) for cell in zip(*row, strict=True)] for row in zip(guilds, prices, strict=True)]
        board["chairs"] = ["nobility", "church", *self._guilds, "merchants"]
        self.head["board"] = board
        cards = components["influence_cards"]
        start, privileges = components["coins"]["start_per_player"], components["privileges"]["start_per_player"]
        self.view |= {"step": None, "letter": None, "guild": None, "start": 0, "plan": [], "members": [], "chapels": []}
        self.view |= {"built": [], "council": dict.fromkeys(board["chairs"]), "prestige": [0 for _ in seats]}
        self.view["coins"] = [self._known(seat, start) for seat in seats]
        self.view["privileges"] = [self._known(seat, privileges) for seat in seats]
        self.view["goods"] = [self._known(seat, dict.fromkeys(self._guilds, 0)) for seat in seats]
        self.view["decks"] = [len(cards["values"]) * cards["copies_of_each"] for _ in seats]
        self.view |= {"stacks": [[] for _ in seats], **self._no_bids(), "tasks": [None for _ in seats]}

    def _known(self, seat: int, amount: Any) -> Any:
        return None if self.components["switches"]["hide_money"] and self.viewer not in (None, seat) else amount

    def _task_words(self, condition: str) -> str:
        """Return a task's text, in which edifices with ids such as E2 are named by their points."""
        return re.sub(r"\bE\d+\b", lambda match: f"edifice {self._edifices.get(match[0], match[0])}", condition)

    def on_setup(self, line: Line) -> str:
        pairs = zip(line["round_cards"], line["edifices"], strict=False)
        self.view["plan"] = [
            {"guilds": [self._round_cards[card][step] for step in "BDF"], "edifice": self._edifices[edifice]}
            for card, edifice in pairs
        ]
        self.view["start"] = start = line["start_player"]
        church = (start + 1) % self.players
        self.view["council"] |= {"nobility": start, "church": church}
        return f"{self.name(start)} and {self.named(church)} begin in the council."

    def on_keep_tasks(self, line: Line) -> str:
        seat, tasks = line["player"], line["tasks"]
        if tasks is None:
            return self.says(seat, "keeps some tasks in secret.")
        self.view["tasks"][seat] = [self._tasks[task] for task in tasks]
        conditions = [self._tasks[task]["text"] for task in tasks]
        return self.says(seat, f"keeps {pluralize(len(tasks), 'task')}: {listed(conditions)}.")

    def on_round(self, line: Line) -> str:
        self.view |= {"round": line["round"], "start": line["start_player"], "step": "planning"}
        self.view |= {"letter": None, "guild": None, "stacks": [[] for _ in range(self.players)], **self._no_bids()}
        return f"Round {line['round']} begins with {self.named(line['start_player'])}."

    def _no_bids(self) -> Json:
        return {"bids": [None] * self.players, "has_bid": [False] * self.players}

    def on_plan(self, line: Line) -> str:
        seat, stacks = line["player"], line["stacks"]
        self.marks = [f"stacks:{seat}"]
        shown = line["sizes"] if stacks is None else [list(stack) for stack in stacks]
        self.view["stacks"][seat] = shown
        drawn = sum(shown) if stacks is None else sum(map(len, shown))
        self.view["decks"][seat] -= drawn
        piles = "" if not stacks else f": {listed([stack_name(stack) for stack in stacks])}"
        return self.says(seat, f"draws {pluralize(drawn, 'card')} for {pluralize(len(shown), 'stack')}{piles}.")

    def on_step(self, line: Line) -> str:
        letter, guild = line["step"], line["guild"]
        subject = f"the {guild}s" if guild else _STEPS[letter]
        self.view |= {"letter": letter, "step": f"step {letter}: {subject}", "guild": guild, **self._no_bids()}
        self.view["start"] = line["start_player"]
        if letter == "I":
            subject = f"edifice worth {self.view['plan'][self.view['round'] - 1]['edifice']}"
        return f"Step {letter}: {subject}."

    def on_bid(self, line: Line) -> str:
        seat, stack, stacks = line["player"], line["stack"], self.view["stacks"][line["player"]]
        self.view["has_bid"][seat] = True
        self.marks = [f"bid:{seat}"]
        if stack is None:
            return self.says(seat, "passes.")
        self.view["bids"][seat] = list(stack)
        stacks.remove(stack if stack in stacks else len(stack))  # of a rival only the size is known
        return self.says(seat, f"bids {sum(stack)}") + (f" ({stack_name(stack)})." if len(stack) > 1 else ".")

    def on_defer(self, line: Line) -> str:
        seat = line["player"]
        if self.view["privileges"][seat] is not None:
            self.view["privileges"][seat] -= 1
        self.marks = [f"bid:{seat}"]
        return self.says(seat, "pays a privilege and waits.")

    def on_act(self, line: Line) -> str:
        return str(getattr(self, f"_act_{line['action']}")(line["player"], line))

    def _act_seat(self, seat: int, line: Line) -> str:
        chair, former = line["seat"], line["replaces"]
        self.view["council"][chair] = seat
        self.marks = [f"chair:{chair}"]
        text = self.says(seat, f"takes the seat of the {chair if chair in s.LORDS else f'{chair}s'}")
        verb = "leave" if former == self.viewer else "leaves"
        return text + ("." if former in (None, seat) else f"; {self.named(former)} {verb}.")

    def _act_good(self, seat: int, line: Line) -> str:
        self._add_goods(seat, line["guild"], 1)
        return self.says(seat, f"takes a {line['guild']} good.")

    def _act_place(self, seat: int, line: Line) -> str:
        cell = line["space"]
        self.view["members"].append([*cell, seat])
        self._pay(seat, -line["price"])
        self.marks = [f"space:{cell[0]},{cell[1]}"]
        extra = self._extra_points(cell)
        text = self.says(seat, f"places a member on {space_name(cell)} for {pluralize(line['price'], 'coin')}")
        return text + (f"; it is worth {1 + extra} there." if extra else ".")

    def _act_sell(self, seat: int, line: Line) -> str:
        for guild, number in line["goods"].items():
            self._add_goods(seat, guild, -number)
        self._pay(seat, line["coins"])
        goods = listed([f"{number} {guild}" for guild, number in line["goods"].items()])
        return self.says(seat, f"sells {goods} for {pluralize(line['coins'], 'coin')}.")

    def _act_decline(self, seat: int, line: Line) -> str:
        return self.says(seat, "does no more.")

    def _add_goods(self, seat: int, guild: str, number: int) -> None:
        if self.view["goods"][seat] is not None:
            self.view["goods"][seat][guild] += number

    def _pay(self, seat: int, coins: int) -> None:
        if self.view["coins"][seat] is not None:
            self.view["coins"][seat] += coins

    def on_return_card(self, line: Line) -> str:
        self.view["decks"][line["player"]] += 1
        return self.says(line["player"], f"puts a {line['card']} under the deck.")

    def on_chapel(self, line: Line) -> str:
        seat, site = line["player"], line["site"]
        if site is None:
            return self.says(seat, "builds no chapel.")
        self.view["chapels"].append(list(site))
        self.marks = [f"corner:{site[0]},{site[1]}"]
        around = set(self._city.around(tuple(site)))
        touched = [self.named(member) for c, r, member in self.view["members"] if (c, r) in around]
        text = self.says(seat, f"builds a chapel at {corner_name(site)}")
        return text + (f"; it touches {listed(touched)}." if touched else ".")

    def on_edifice(self, line: Line) -> str:
        seat, site, points = line["player"], line["site"], self._edifices[line["edifice"]]
        if site is None:
            return self.says(seat, f"does not build the edifice worth {points}.")
        self.view["built"].append([*site, points])
        self.marks = [f"site:{site[0]},{site[1]}"]
        return self.says(seat, f"builds the edifice worth {points} on {space_name(site)}.")

    def on_council(self, line: Line) -> str:
        self.view |= {"prestige": list(line["total"]), "privileges": list(line["held"]), "coins": list(line["coins"])}
        self.view |= {"decks": list(line["deck"]), "step": "council", "letter": None, "guild": None}
        self.marks = [f"seat:{seat}" for seat in range(self.players)]
        gainers = listed([self.named(seat) for seat, number in enumerate(line["privileges"]) if number])
        return f"The council gives points: {self.listed_seats(line['prestige'])}; a privilege to {gainers}."

    def on_score_end(self, line: Line) -> str:
        self._total = total = list(line["total"])
        first, *others = line["winners"]
        self.view |= {"over": True, "step": "the end"}
        tasks = f"Tasks give {self.listed_seats(line['tasks'], sign=True)}."
        if others:
            return f"{tasks} {listed([self.name(seat) for seat in line['winners']])} share the win with {total[first]}."
        second = max((seat for seat in range(self.players) if seat != first), key=total.__getitem__)
        return f"{tasks} {self.won(total, first, second)}."

    def _extra_points(self, cell: Sequence[int]) -> int:
        space, chapel_points = tuple(cell), self.components["chapels"]["points_per_adjacent_family_member"]
        chapels = sum(space in self._city.around(tuple(corner)) for corner in self.view["chapels"])
        edifices = sum(points for c, r, points in self.view["built"] if space in self._city.beside((c, r)))
        return int(chapels * chapel_points + edifices)

    def standing(self) -> list[int | None]:
        """Return the final points, or before the end the points without tasks; None where privileges are hidden."""
        view = self.view
        if view["over"]:
            return list(self._total)
        value = self.components["privileges"]["end_value"]
        pairs = zip(view["prestige"], view["privileges"], strict=True)
        points_now = [None if held is None else points + held * value for points, held in pairs]
        for c, r, seat in view["members"]:
            if points_now[seat] is not None:
                points_now[seat] += 1 + self._extra_points((c, r))
        return points_now

    def question(self, position: Any) -> str:
        if position.compound_choices:
            penalty = self.components["tasks_meta"]["penalty_unfulfilled"]
            return f"Which tasks do you keep? Each that is not fulfilled costs {pluralize(penalty, 'point')}."
        phase = int(position.state["phase"][0])
        if phase == s.DRAW:
            return "Draw another card, or stop?"
        if phase == s.SPLIT:
            return "How do you divide your cards into stacks?"
        return str(position.question)

    def mine(self, position: Any) -> Json:
        """Return the viewer's hand, deck and tasks, its stacks while it plans, `compose` while it divides its cards."""
        view = position.view(self.viewer)
        planning = view.step is None and not view.over and bool(view.hand or view.pile or view.stacks)
        stacks = [list(stack) for stack in view.stacks.values()]
        mine: Json = {"hand": list(view.hand), "pile": list(view.pile), "plan": stacks if planning else []}
        mine["deck"] = {str(card): view.deck.count(card) for card in sorted(set(view.deck), reverse=True)}
        mine["tasks"] = [self._tasks[task] for task in view.kept]
        if int(position.state["phase"][0]) == s.SPLIT:
            mine["compose"] = {"fixed": stacks, "cards": sorted([*view.hand, *view.pile], reverse=True)}
        return mine

    def next_action(self, composed: Any, position: Any) -> int | None:
        """Return the action towards `composed`, lists of cards: add a card or close a stack; None outside SPLIT."""
        if int(position.state["phase"][0]) != s.SPLIT:
            return None
        composed = converted(composed, list[list[int]], "stacks")
        view = position.view(self.viewer)
        remaining = sorted((tuple(sorted(stack, reverse=True)) for stack in composed if stack), reverse=True)
        for stack in view.stacks.values():
            if stack not in remaining:
                raise InputError(f"stacks: {stack_name(stack)} is already laid and must be one of them")
            remaining.remove(stack)
        pile = view.pile
        cards = sorted([*view.hand, *pile])
        if sorted(card for stack in remaining for card in stack) != cards:
            raise InputError(f"stacks: every card must be on one stack; the cards are {stack_name(cards[::-1])}")
        stack = next((stack for stack in remaining if stack[: len(pile)] == pile), None)
        if stack is None:
            raise InputError(f"stacks: {stack_name(pile)} is already begun, so one of them must begin with it")
        return s.CLOSE if len(stack) == len(pile) else s.ADD + stack[len(pile)]

    def choice(self, action: int, name: str, position: Any) -> Json:
        """Return how to show a choice: its label, a note such as its price, and its place in the drawing."""
        if action < 0:  # an item of a compound choice
            task = self._tasks[name]
            return {"label": task["text"], "note": pluralize(task["points"], "point")}
        if action in _LABELS:
            return {"label": _LABELS[action], "note": ""}
        if s.ADD < action < s.PASS:
            return {"label": f"Add a {name}"}
        if action == s.DEFER:
            return {"label": "Wait", "note": "for a privilege"}
        if s.REVEAL <= action < s.NONE:
            total = sum(int(card) for card in name.split("+"))
            return {"label": f"Bid {total}", "note": name if "+" in name else "", "at": f"stack:{name}"}
        if action == s.GOOD:
            value = self.components["goods"]["value"][self.view["guild"]]
            return {"label": "Take a good", "note": f"sells for {pluralize(value, 'coin')}"}
        if s.PLACE_ON <= action < s.SELL_GOODS:
            return self._on_map("space", self._city.cell(action - s.PLACE_ON), name)
        if s.SELL_GOODS <= action <= s.RETURN_CARD:
            return {"label": f"Sell {name}", "note": ""}
        if s.RETURN_CARD < action < s.CHAPEL:
            return {"label": f"Return the {name}", "note": ""}
        if action < s.EDIFICE:
            return self._on_map("corner", self._city.chapel_sites[action - s.CHAPEL], name)
        return self._on_map("site", self._city.sites[action - s.EDIFICE], name)

    def _on_map(self, kind: str, cell: tuple[int, int], name: str) -> Json:
        note = {"corner": "chapel", "site": "edifice"}.get(kind)
        if note is None:
            note = f"{pluralize(self._city.prices[cell], 'coin')}, worth {1 + self._extra_points(cell)}"
        return {"label": name, "at": f"{kind}:{cell[0]},{cell[1]}", "note": note, "quiet": True}

    def agreements(self, seen: Any) -> Iterator[tuple[str, Any, Any]]:
        view = self.view
        yield "members", {(c, r): seat for c, r, seat in view["members"]}, dict(seen.members)
        yield "council", view["council"], dict(seen.council)
        yield "prestige", view["prestige"], list(seen.prestige)
        yield "chapels", sorted(map(tuple, view["chapels"])), sorted(seen.chapels)
        built = {cell: self._edifices[edifice] for cell, edifice in seen.built.items()}
        yield "edifices", {(c, r): points for c, r, points in view["built"]}, built
        if not seen.over:
            yield "privileges", view["privileges"], list(seen.privileges)
        if not seen.over and seen.step not in ("C", "E", "G"):  # the line of a sale is written after its last good
            yield "coins", view["coins"], list(seen.coins)
            yield "goods", view["goods"], [None if goods is None else dict(goods) for goods in seen.goods]
        if seen.step:
            sizes = [
                [len(stack) if isinstance(stack, list) else stack for stack in stacks] for stacks in view["stacks"]
            ]
            yield "stacks", [sorted(own, reverse=True) for own in sizes], list(map(list, seen.stack_sizes))
            yield "decks", view["decks"], list(seen.decks)
        if seen.queue:
            yield "bids", [bid and tuple(bid) for bid in view["bids"]], list(seen.bids)
            yield "start", view["start"], seen.start_player


TABLE = StrasbourgTable
