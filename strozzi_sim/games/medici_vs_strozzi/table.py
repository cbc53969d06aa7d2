"""The table of Medici vs Strozzi: the fold of a record's lines; `table.js` draws it.

Where markers would end and what an unfinished round would pay is not in a record, but computed from the components.
"""

from collections.abc import Iterator
from typing import Any

from strozzi_sim.errors import pluralize
from strozzi_sim.game.sentences import listed
from strozzi_sim.game.table import GameTable, Json, Line
from strozzi_sim.games.medici_vs_strozzi.components import tile_ids
from strozzi_sim.games.medici_vs_strozzi.state import PLAYER_NAMES, SEATS

_NO_LOT: Json = {"lot": [], "price": None, "buyer": None}


class MediciTable(GameTable):
    """The lot, the harbors with ships and tracks, and the cash of both families."""

    unit = "coins"
    families = PLAYER_NAMES
    over_now = "Coins if the round ended now: cash, harbors, monopolies and their bonus."
    sources = ("harbors", "monopolies", "bonus")

    def set_up(self) -> None:
        components = self.components
        ids = [(name, name.rpartition("-")[0], value) for name, _, value in tile_ids(components)]
        self._tiles = {name: {"id": name, "type": kind, "value": value} for name, kind, value in ids}
        self._harbors = {harbor["id"]: list(harbor["tracks"]) for harbor in components["harbor"]}
        self._capacities, self._switches = components["ships"]["capacities"], components["switches"]
        self._tracks = {
            harbor: {kind: self._track(harbor, kind) for kind in kinds} for harbor, kinds in self._harbors.items()
        }
        self.head["board"] = {"tracks": self._tracks, "types": [kind["key"] for kind in components["type"]]}
        start_cash = components["money"]["start_cash"]
        rivals_cash = None if self._switches["hidden_cash"] else start_cash
        cash = [start_cash if self.viewer in (None, seat) else rivals_cash for seat in range(SEATS)]
        markers = {harbor: dict.fromkeys(kinds, 0) for harbor, kinds in self._harbors.items()}
        self.view |= {"proposer": 0, **self._empty_ships(), "markers": markers, "cash": cash}

    def _track(self, harbor: str, kind: str) -> Json:
        tracks = self.components["tracks"]
        track = tracks.get("per_track", {}).get(f"{harbor}.{kind}", tracks)
        return {"half": track["half_length"], "bonus": dict(track["bonus"])}

    def _empty_ships(self) -> Json:
        fleets = [[{"capacity": n, "harbor": None, "tiles": []} for n in self._capacities] for _ in range(SEATS)]
        return {**_NO_LOT, "ships": fleets, "bag": len(self._tiles), "discards": []}

    def _words(self, tiles: Any) -> str:
        return listed([f"{self._tiles[tile]['type']} {self._tiles[tile]['value']}" for tile in tiles])

    def on_round(self, line: Line) -> str:
        start = line["start_player"]
        self.view |= {"round": line["round"], "proposer": start, "actor": start, **self._empty_ships()}
        return f"Round {line['round']} begins with {self.named(start)}; all ships are empty."

    def on_reveal(self, line: Line) -> str:
        seat = line["player"]
        self.view |= {"lot": [*self.view["lot"], self._tiles[line["tile"]]], "proposer": seat}
        self.view["bag"] -= 1
        self.marks = ["lot"]
        return self.says(seat, f"shows {self._words([line['tile']])}.")

    def on_price(self, line: Line) -> str:
        self.view["price"] = line["price"]
        self.marks = ["lot"]
        lot = self._words(tile["id"] for tile in self.view["lot"])
        return self.says(line["player"], f"names {pluralize(line['price'], 'coin')} for {lot}.")

    def on_answer(self, line: Line) -> str:
        seat, price = line["player"], self.view["price"]
        buyer = seat if line["buy"] else 1 - seat
        if self.view["cash"][buyer] is not None:
            self.view["cash"][buyer] -= price
        self.view["buyer"] = buyer
        self.marks = ["lot", f"seat:{buyer}"]
        if line["buy"]:
            return self.says(seat, f"buys for {price}.")
        pays = "pay" if buyer == self.viewer else "pays"
        return f"{self.says(seat, 'declines')}; {self.named(buyer)} {pays} {price}."

    def on_load(self, line: Line) -> str:
        seat, harbor, tiles = line["player"], line["harbor"], line["tiles"]
        ship = next(ship for ship in self.view["ships"][seat] if ship["capacity"] == line["ship"])
        ship["harbor"] = harbor
        ship["tiles"] += [self._tiles[tile] for tile in tiles]
        self.view |= _NO_LOT
        self.marks = [f"berth:{harbor}:{seat}"]
        return self.says(seat, f"loads {self._words(tiles)} on the ship for {line['ship']} at {harbor}.")

    def on_discard(self, line: Line) -> str:
        self.view |= {**_NO_LOT, "discards": [*self.view["discards"], *line["tiles"]]}
        return self.says(line["player"], f"discards {self._words(line['tiles'])}.")

    def on_score_round(self, line: Line) -> str:
        self.view |= {"cash": list(line["cash"]), "markers": line["markers"], **_NO_LOT}
        paid = [sum(line[key][seat] for key in self.sources) for seat in range(SEATS)]
        self.marks = [f"track:{harbor}:{kind}" for harbor, kinds in line["markers"].items() for kind in kinds]
        return f"Round {line['round']} pays {self.listed_seats(paid)}."

    def on_score_end(self, line: Line) -> str:
        total, winners = line["total"], line["winners"]
        self.view |= {"cash": list(total), "over": True}
        if len(winners) > 1:
            return f"Both have {total[0]} coins and share the win."
        return f"{self.won(total, winners[0], 1 - winners[0])}."

    def lay_out(self) -> None:
        """Write into the view where the markers would end this round, and the total value of each load."""
        is_open = self.view["round"] and self.last not in ("score_round", "score_end")
        self.view["ahead"] = {
            harbor: {kind: self._marker_after(harbor, kind) if is_open else place for kind, place in places.items()}
            for harbor, places in self.view["markers"].items()
        }
        self.view["totals"] = {harbor: [self._load(seat, harbor) for seat in range(SEATS)] for harbor in self._harbors}

    def _marker_after(self, harbor: str, kind: str) -> int:
        half, place = self._tracks[harbor][kind]["half"], int(self.view["markers"][harbor][kind])
        medici, strozzi = (self._pull(seat, harbor, kind) for seat in range(SEATS))
        for steps in [medici - strozzi] if self._switches["net_marker_movement"] else [medici, -strozzi]:
            place = max(-half, min(half, place + steps))
        return place

    def _tiles_at(self, seat: int, harbor: str) -> list[Json] | None:
        return next((ship["tiles"] for ship in self.view["ships"][seat] if ship["harbor"] == harbor), None)

    def _pull(self, seat: int, harbor: str, kind: str) -> int:
        steps = self.components["marker_steps"]
        tiles = [tile for tile in self._tiles_at(seat, harbor) or [] if tile["type"] == kind]
        return sum(steps["other_tile"] if tile["value"] else steps["value_zero_tile"] for tile in tiles)

    def _load(self, seat: int, harbor: str) -> int | None:
        tiles = self._tiles_at(seat, harbor)
        return None if tiles is None else sum(tile["value"] for tile in tiles)

    def standing(self) -> list[int | None]:
        """Return the coins if the round ended now, None if the viewer may not see the cash."""
        cash = self.view["cash"]
        if not self.view["round"] or self.last in ("score_round", "score_end"):
            return list(cash)
        gains, scoring = [0] * SEATS, self.components["scoring"]
        empty = -1 if self._switches["lone_worthless_ship_wins"] else 0
        for harbor, places in self.view["ahead"].items():
            medici, strozzi = (empty if load is None else load for load in self.view["totals"][harbor])
            if medici != strozzi:
                gains[strozzi > medici] += scoring["harbor_majority"]
            for kind, place in places.items():
                if place:
                    bonus = self._tracks[harbor][kind]["bonus"].get(str(abs(place)), 0)
                    gains[place < 0] += scoring["monopoly"] + bonus
        return [None if cash[seat] is None else cash[seat] + gains[seat] for seat in range(SEATS)]

    def question(self, position: Any) -> str:
        first, seat = position.names[0], self.viewer
        assert seat is not None
        if first in ("more", "stop"):
            return "Show another tile, or name a price?"
        if first in ("buy", "decline"):
            return f"Do you buy the lot for {self.view['price']}? If not, {self.named(1 - seat)} pays as much."
        if first.isdigit():
            return "Which price do you name? If the other does not buy for it, you do."
        return "Which ship takes the lot, and where?"

    def choice(self, action: int, name: str, position: Any) -> Json:
        """Return how to show a price, another tile, an answer, a discard, or a ship at a harbor."""
        if not name:
            return {"label": "Price", "start": min(8 * len(self.view["lot"]), int(position.names[-1]))}
        if "@" in name:
            capacity, harbor = name.split("@")
            fleet = self.view["ships"][self.viewer]
            loaded = next(len(ship["tiles"]) for ship in fleet if str(ship["capacity"]) == capacity)
            note = f"{loaded + len(self.view['lot'])} of {capacity} spaces filled"
            return {"label": f"{harbor}, ship for {capacity}", "at": f"load:{name}", "note": note}
        if name == "more":
            return {"label": "Another tile", "at": "bag", "note": f"one of {self.view['bag']} in the bag"}
        labels = {"stop": "Name a price", "buy": "Buy", "decline": "Leave it", "discard": "Discard the lot"}
        return {"label": labels.get(name, name)}

    def agreements(self, seen: Any) -> Iterator[tuple[str, Any, Any]]:
        view = self.view
        fleets = [
            {ship["capacity"]: (ship["harbor"], sorted(tile["id"] for tile in ship["tiles"])) for ship in fleet}
            for fleet in view["ships"]
        ]
        seen_fleets = [{size: (harbor, sorted(tiles)) for size, (harbor, tiles) in each.items()} for each in seen.ships]
        yield "ships", fleets, seen_fleets
        yield "markers", view["markers"], {harbor: dict(kinds) for harbor, kinds in seen.markers.items()}
        yield "cash", view["cash"], list(seen.cash)
        yield "lot", [tile["id"] for tile in view["lot"]], list(seen.lot)
        yield "bag", view["bag"], seen.bag_left
        yield "discards", sorted(view["discards"]), sorted(seen.discards)
        if not seen.over:
            yield "price", view["price"], seen.price


TABLE = MediciTable
