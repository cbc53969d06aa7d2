"""The table of Strozzi: the fold of a record's lines; `table.js` draws it.

A record contains neither the moves of markers nor the coins that a round would pay if it ended now. Both follow from
its lines and components.
"""

from collections.abc import Iterator
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.sentences import listed, ordinal
from strozzi_sim.game.table import GameTable, Json, Line, pay
from strozzi_sim.games.strozzi.events import ship_print
from strozzi_sim.games.strozzi.state import CATEGORIES, CITY_NAMES, FLAG_NAMES, PORT_NAMES

_FLAG = {"pirate": "pirate", "plus_one": "plus-one", "ware": "ware"}


class StrozziTable(GameTable):
    """The ships at the ports, the tracks, the tiles, and each seat's flags and coins."""

    unit = "coins"
    over_now = "Coins if the game ended now: those paid, this round's ships, markers and bonus spaces, and the tiles."
    tie_break = "ahead at Florence"
    sources = ("ships", "markers", "bonus", "promotion")

    def set_up(self) -> None:
        components, players = self.components, range(self.players)
        self._ships = {card["id"]: card for card in components["ships"]}
        self._tile = {tile["id"]: tile for tile in components["promotion_tiles"]}
        self._bonus = {int(space): coins for space, coins in components["tracks"]["bonus"].items()}
        self._top, self._rules = components["tracks"]["top_index"], components["rules"]
        self._prizes = components["scoring"]
        removed_by_count = {int(count): cards for count, cards in components["setup"]["cards_removed"].items()}
        self._deck_size = len(self._ships) - removed_by_count[self.players]
        bonus = {str(space): coins for space, coins in self._bonus.items()}
        self.head["board"] = {"top": self._top, "bonus": bonus, "prizes": self._prizes["ship_ranks"]}
        self.view |= {"start": 0, "active": None, **self._start_round()}
        self.view |= {"tracks": self._start_spaces(list(players)), "display": [], "stack": len(self._tile)}
        self.view |= {"tiles": [[0, 0, 0] for _ in players], "coins": [0 for _ in players]}

    def _start_round(self) -> Json:
        flags: list[list[str]] = [list(FLAG_NAMES) for _ in range(self.players)]
        ports: Json = {port: [] for port in PORT_NAMES}
        return {"ship": None, "holder": None, "flag": None, "deck": self._deck_size, "flags": flags, "ports": ports}

    def _start_spaces(self, order: list[int]) -> dict[str, list[list[int]]]:
        return {city: [list(order), *([] for _ in range(self._top))] for city in CITY_NAMES}

    def on_tiles(self, line: Line) -> str:
        self.view["display"] = [self._shown(tile) for tile in line["display"]]
        self.view["stack"] = len(self._tile) - len(line["display"])
        return f"The promotion tiles to choose from are {listed([self._words(tile) for tile in line['display']])}."

    def on_round(self, line: Line) -> str:
        start = line["start_player"]
        if line["round"] == 1:
            order = [(start + k) % self.players for k in range(self.players)]
            self.view["tracks"] = self._start_spaces(order[::-1] if self._rules["start_order"] == "reverse" else order)
        self.view |= {"round": line["round"], "start": start, "active": start, "actor": start, **self._start_round()}
        return f"Round {line['round']} begins with {self.named(start)}."

    def on_reveal(self, line: Line) -> str:
        seat, card = line["player"], self._ships[line["ship"]]
        printed = {key: card[key] for key in ("id", "sail", *PORT_NAMES, "scrolls", "promotion")}
        self.view |= {"ship": printed, "active": seat, "holder": None, "flag": None}
        self.view["deck"] -= 1
        self.marks = ["ship"]
        return self.says(seat, f"turns over a ship of {ship_print(card)}.")

    def on_claim(self, line: Line) -> str:
        seat, flag, holder, claim_flag = line["player"], line["flag"], self.view["holder"], self.view["flag"]
        if flag is None:
            return self.says(seat, "passes.")
        if holder is not None:
            self.view["flags"][holder] = sorted([*self.view["flags"][holder], claim_flag], key=FLAG_NAMES.index)
        self.view["flags"][seat].remove(flag)
        self.view |= {"holder": seat, "flag": flag}
        self.marks += ["ship", "claim"]
        if holder is None:
            return self.says(seat, f"claims it with the {_FLAG[flag]} flag.")
        gets = "get" if holder == self.viewer else "gets"
        back = f"{self.named(holder)} {gets} the {_FLAG[claim_flag]} flag back"
        return f"{self.says(seat, 'takes it')} as a pirate; {back}."

    def on_place(self, line: Line) -> str:
        seat, port, card = line["player"], line["port"], self._ships[line["ship"]]
        berths = self.view["ports"][port]
        rank = sum(other["speed"] >= line["speed"] for other in berths)
        berths.insert(rank, {"seat": seat, "ship": line["ship"], "flag": line["flag"], "speed": line["speed"]})
        self.view |= {"ship": None, "holder": None, "flag": None}
        self.marks = [f"berth:{port}:{seat}"]
        moves = ((port, self._gain(card, port, line["flag"])), ("florence", card["scrolls"]))
        moves_text = [move_text for city, steps in moves if (move_text := self._move(city, seat, steps))]
        text = f"{self.says(seat, 'moors')} at {port.title()}, {ordinal(rank + 1)} of {len(berths)}"
        return text + (f": {listed(moves_text)}." if moves_text else "; no marker moves.")

    def on_take_tile(self, line: Line) -> str:
        seat, tile, display = line["player"], line["tile"], self.view["display"]
        if tile is None:
            return self.says(seat, "takes no tile.")
        slot = [each["id"] for each in display].index(tile)
        refill = [] if line["replacement"] is None else [self._shown(line["replacement"])]
        self.view["display"] = [*display[:slot], *refill, *display[slot + 1 :]]
        self.view["stack"] -= len(refill)
        self.marks += [f"tile:{each['id']}" for each in refill]
        data = self._tile[tile]
        self.view["tiles"][seat][CATEGORIES.index(data["category"])] += data["value"]
        move_text = self._move(data["ware"], seat, 1) if data["ware"] else ""
        text = self.says(seat, f"takes the tile {data['category']} {data['value']}")
        return f"{text}: {move_text}." if move_text else f"{text}."

    def on_set_aside(self, line: Line) -> str:
        self.view |= {"ship": None, "holder": None, "flag": None}
        return "No seat claims the ship; it is set aside."

    def on_score_round(self, line: Line) -> str:
        paid = [sum(line[key][seat] for key in ("ships", "markers", "bonus")) for seat in range(self.players)]
        self.view["coins"] = list(line["total"])
        self.marks = [f"seat:{seat}" for seat in range(self.players)]
        return f"Round {line['round']} pays coins: {self.listed_seats(paid)}."

    def on_score_end(self, line: Line) -> str:
        total, (first, second) = line["total"], line["ranking"][:2]
        self.view |= {"coins": list(total), "over": True, "best": list(line["ranking"])}
        return f"The tiles pay coins: {self.listed_seats(line['promotion'])}. {self.won(total, first, second)}."

    def heading(self) -> str:
        """Return the result, if the game is over; a tie goes to the better marker at Florence."""
        return self.won(self.view["coins"], *self.view["best"][:2]) if self.view["over"] else super().heading()

    def _gain(self, card: Json, port: str, flag: str | None) -> int:
        flag_counts = flag == "ware" and (card[port] or not self._rules["ware_flag_needs_match"])
        return int(card[port]) + (self.components["flags"]["ware_steps"] if flag_counts else 0)

    def _space(self, city: str, seat: int) -> int:
        return next(space for space, seats in enumerate(self.view["tracks"][city]) if seat in seats)

    def _move(self, city: str, seat: int, steps: int) -> str:
        track, start = self.view["tracks"][city], self._space(city, seat)
        end = min(start + steps, self._top)
        if end == start:
            return ""
        track[start].remove(seat)
        track[end].append(seat)
        self.marks.append(f"marker:{city}:{seat}")
        return f"{city.title()} {start} to {end}"

    def standing(self) -> list[int | None]:
        """Return each seat's coins if the round and the game ended now."""
        view = self.view
        coins_now = list(view["coins"])
        if view["over"]:
            return coins_now
        if view["round"] and self.last != "score_round":
            for port in PORT_NAMES:
                pay(coins_now, [ship["seat"] for ship in view["ports"][port]], self._prizes["ship_ranks"])
            for city in CITY_NAMES:
                pay(coins_now, self._ranked(city, 1), self._prizes["marker_ranks"])
                pays_bonus = city != "florence" or self._rules["florence_bonus"]
                for space, coins in self._bonus.items() if pays_bonus else ():
                    for seat in view["tracks"][city][space]:
                        coins_now[seat] += coins
        for kind in range(len(CATEGORIES)):
            totals = [tiles[kind] for tiles in view["tiles"]]
            ranked = sorted(self._ranked("florence"), key=totals.__getitem__, reverse=True)
            scoring = [seat for seat in ranked if totals[seat] or self._rules["zero_total_scores"]]
            pay(coins_now, scoring, self._prizes["category_ranks"])
        return coins_now

    def _ranked(self, city: str, lowest: int = 0) -> list[int]:
        return [seat for space in reversed(self.view["tracks"][city][lowest:]) for seat in space]

    def _shown(self, tile: str) -> Json:
        return {key: self._tile[tile][key] for key in ("id", "category", "value", "ware")}

    def _words(self, tile: str) -> str:
        data = self._tile[tile]
        return f"{data['category']} {data['value']}" + (f" ({data['ware'].title()})" if data["ware"] else "")

    def question(self, position: Any) -> str:
        names, holder = position.names, self.view["holder"]
        if names[-1] in PORT_NAMES:
            return "The ship is yours. At which port does it moor?"
        if names[-1] in self._tile or names[-1] == "decline":
            return "Which promotion tile do you take?"
        if holder is not None:
            claim = f"{self.says(holder, 'claims')} the ship with the {_FLAG[self.view['flag']]} flag"
            return f"{claim}. Do you take it as a pirate?"
        return "Do you claim this ship?"

    def choice(self, action: int, name: str, position: Any) -> Json:
        """Return how to show a flag, port, tile or pass, with a note on its effect."""
        if name in FLAG_NAMES:
            return self._flag_choice(name)
        if name in PORT_NAMES:
            return self._port_choice(name)
        if name in self._tile:
            data = self._tile[name]
            ware = data["ware"].title()
            label = f"{data['category'].capitalize()} {data['value']}" + (f", {ware}" if ware else "")
            note = f"one space at {ware}" if ware else "moves no marker"
            return {"label": label, "at": f"tile:{name}", "note": note}
        if name == "pass":
            return {"label": "Pass", "note": "keep your flags for later ships"}
        return {"label": "No tile", "note": ""}

    def _flag_choice(self, flag: str) -> Json:
        risk = "unless a pirate takes the ship"
        flags, sail = self.components["flags"], self.view["ship"]["sail"]
        note = {
            "pirate": "yours at once",
            "plus_one": f"speed {sail + flags['plus_one_speed']}, {risk}",
            "ware": f"{pluralize(flags['ware_steps'], 'space')} more at its port, {risk}",
        }[flag]
        return {"label": f"{_FLAG[flag].capitalize()} flag", "at": f"flag:{flag}", "note": note}

    def _port_choice(self, port: str) -> Json:
        seat, card, flag, berths = self.viewer, self.view["ship"], self.view["flag"], self.view["ports"][port]
        assert seat is not None
        speed = card["sail"] + (self.components["flags"]["plus_one_speed"] if flag == "plus_one" else 0)
        rank = sum(other["speed"] >= speed for other in berths) + 1
        start = self._space(port, seat)
        end = min(start + self._gain(card, port, flag), self._top)
        moves = f"marker {start} to {end}" if end > start else f"marker stays on {start}"
        bonus = f", bonus {self._bonus[end]}" if end in self._bonus else ""
        ghost = {"city": port, "space": end if end > start else -1, "rank": rank}
        note = f"{ordinal(rank)} of {len(berths) + 1}; {moves}{bonus}"
        return {"label": port.title(), "at": f"port:{port}", "note": note, "ghost": ghost}

    def next_name(self, seen: Any) -> str:
        """Return the ship that was turned over last as text; "" once the game is over."""
        return ship_print(self._ships[seen.ship]) if seen.ship in self._ships else ""

    def next_given(self, seen: Any) -> Any:
        """Return the tiles to choose from."""
        return seen.display

    def agreements(self, seen: Any) -> Iterator[tuple[str, Any, Any]]:
        view = self.view
        taken = [[self._tile[tile] for tile in tiles] for tiles in seen.tiles]
        totals = [
            [sum(tile["value"] for tile in own if tile["category"] == kind) for kind in CATEGORIES] for own in taken
        ]
        ports = {port: tuple((b["seat"], b["ship"], b["flag"]) for b in ships) for port, ships in view["ports"].items()}
        yield "tracks", {city: tuple(map(tuple, track)) for city, track in view["tracks"].items()}, dict(seen.tracks)
        yield "ports", ports, dict(seen.ports)
        yield "flags", view["flags"], [list(flags) for flags in seen.flags]
        yield "coins", view["coins"], list(seen.coins)
        yield "tiles", view["tiles"], totals
        yield "display", [tile["id"] for tile in view["display"]], list(seen.display)
        yield "cards in the deck", view["deck"], seen.deck_left
        yield "tiles in the stack", view["stack"], seen.stack_left
        if view["ship"] is not None:
            yield "ship", view["ship"]["id"], seen.ship
            yield "holder", (view["holder"], view["flag"]), (seen.holder, seen.holder_flag)


TABLE = StrozziTable
