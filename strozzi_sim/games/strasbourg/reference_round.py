"""A round of Strasbourg: planning, auctions and the winners' actions, chapel and edifice (R4 to R10)."""

from collections.abc import Sequence

from strozzi_sim.games.strasbourg.reference_table import Answer, FullTable, Option, Play, Space, Stack, ask

AUCTIONS = "ABCDEFG"
GUILD_STEPS = "BDF"
MERCHANT_STEPS = "CEG"


def plan_round(table: FullTable) -> Play:
    """Let each player draw and split, clockwise from the start player (A62).

    The sizes of the stacks become public when all have finished (R4.3, A8); with `planning` sequential, one by one.
    """
    for seat in range(table.players):
        table.visible_decks[seat] = (table.decks[seat], list(table.under[seat]))
        table.stacks[seat], table.unused[seat] = [], []
        table.planned[seat] = False
    for seat in table.clockwise(table.start_player):
        yield from _draw_cards(table, seat)
        drawn = list(table.hand[seat])
        yield from _split(table, seat)
        table.planned[seat] = True
        table.write("plan", player=seat, drawn=drawn, stacks=[list(stack) for stack in table.stacks[seat]])


def _draw_cards(table: FullTable, seat: int) -> Play:
    """Draw `min_draw` cards, then one at a time until the seat stops; no card goes back (R4.1, A6, A10, A68)."""
    for _ in range(min(table.switches["min_draw"], table.decks[seat])):
        _draw(table, seat)
    while table.decks[seat]:  # empty from the start: no stacks this round (R4.4)
        if (yield from ask("draw", seat, ("stop", "draw"))) == "stop":
            return
        _draw(table, seat)


def _draw(table: FullTable, seat: int) -> None:
    """Draw the top card; cards put under the deck come last (F5.4)."""
    deck = table.shuffled[seat] or table.under[seat]
    table.hand[seat].append(deck.pop(0))


def _split(table: FullTable, seat: int) -> Play:
    """Divide all cards into any number of stacks (R4.2, A7, A9).

    The highest card left begins each stack, and no stack exceeds the previous one (F5.4), so that each division has a
    single sequence of choices (A66, F6.4).
    """
    hand, stacks = table.hand[seat], table.stacks[seat]
    hand.sort(reverse=True)
    while hand:
        pile = table.pile[seat] = [hand.pop(0)]
        while True:
            additions = _additions(pile, hand, stacks[-1] if stacks else None)
            choice = yield from ask("split", seat, ("close", *(("add", value) for value in additions)))
            if choice == "close":
                break
            hand.remove(choice[1])
            pile.append(choice[1])
        table.unused[seat].append(len(stacks))
        stacks.append(tuple(pile))
        table.pile[seat] = []


def _additions(pile: Sequence[int], hand: Sequence[int], previous: Stack | None) -> list[int]:
    """Return the values that fit on `pile`: at most its last card, and so that the stack does not exceed `previous`."""
    highest = pile[-1]
    if previous is not None and previous[: len(pile)] == tuple(pile):
        if len(previous) == len(pile):
            return []
        highest = previous[len(pile)]
    return [value for value in sorted(set(hand)) if value <= highest]


def play_step(table: FullTable, step: str) -> Play:
    """Play one step, including its line in the record."""
    table.step = step
    table.guild = table.guilds_of_card[table.round_cards[table.round - 1]][step] if step in GUILD_STEPS else None
    table.served, table.sold = set(), {}
    table.write("step", step=step, start_player=table.start_player, guild=table.guild)
    if step in AUCTIONS:
        ranking = yield from _hold_auction(table)
        acting = ranking[: _acting_ranks(table, step)]
        for rank, seat in enumerate(acting, 1):  # each completely before the next (R5.6)
            yield from _act(table, step, rank, seat)
        yield from _settle(table, ranking, len(acting))
    elif step == "H":
        yield from _build_chapel(table)
    else:
        yield from _build_edifice(table)
    table.step = table.guild = None


def _hold_auction(table: FullTable) -> Answer:
    """Let each player bid, pass or defer, in the order of the queue (R5.1, R5.2); return the bidders, best first."""
    old_start = table.start_player
    table.queue = table.clockwise(old_start)
    while table.queue:
        seat = table.queue[0]
        choice = yield from ask("bid", seat, _bids(table, seat))
        table.queue.pop(0)
        if choice == "defer":  # to the back of the queue, for one privilege each time (A14)
            table.privileges[seat] -= 1
            table.queue.append(seat)
            table.write("defer", player=seat)
            continue
        stack = None if choice == "pass" else choice[1]
        if stack is not None:
            number = next(number for number in table.unused[seat] if table.stacks[seat][number] == stack)
            table.unused[seat].remove(number)
            table.bids[seat] = stack  # for all to see at once (A13)
        table.write("bid", player=seat, stack=None if stack is None else list(stack))
    ranking = _rank(table, old_start)
    if ranking:
        table.start_player = ranking[0]  # at once, merchants' steps included (R5.4, A17)
    return ranking


def _bids(table: FullTable, seat: int) -> list[Option]:
    """Return the options: pass, defer, or one of the seat's different stacks (F6.5); without stacks only pass (A12)."""
    stacks = table.hidden_stacks(seat)
    if not stacks:
        return ["pass"]
    others = any(table.unused[other] for other in table.queue[1:])
    deferring: list[Option] = ["defer"] if table.privileges[seat] and others else []  # (A15, A57)
    return ["pass", *deferring, *(("reveal", stack) for stack in dict.fromkeys(stacks))]  # (A66)


def _rank(table: FullTable, old_start: int) -> list[int]:
    """Return the bidders by sum, highest first; ties go clockwise from the old start player (R5.3, A16)."""
    bidders = [seat for seat in table.clockwise(old_start) if table.bids[seat] is not None]
    return sorted(bidders, key=lambda seat: -sum(table.bids[seat] or ()))  # keeps the order of equals


def _acting_ranks(table: FullTable, step: str) -> int:
    """Return the number of ranks that may act (R5.5)."""
    if step == "A":
        return 2
    if step in MERCHANT_STEPS:
        return 1
    return 2 if table.players == 3 else 3  # three players have no journeyman (R14.1, A35)


def _settle(table: FullTable, ranking: list[int], acting: int) -> Play:
    """Remove the bids from the game; a rank that may not act (A59: did not act) puts one card under its deck (R5.7)."""
    for rank, seat in enumerate(ranking, 1):
        lost = list(table.bids[seat] or ())
        idle = table.switches["return_if_unused"] and seat not in table.served  # (A59)
        if rank > acting or idle:
            values = sorted(set(lost))  # in the last round too (A63)
            _, card = yield from ask("return_card", seat, [("return", value) for value in values])
            lost.remove(card)
            table.under[seat].append(card)
            table.write("return_card", player=seat, card=card)
        table.bids[seat] = None
        table.lost[seat] += lost


def _act(table: FullTable, step: str, rank: int, seat: int) -> Play:
    """Let a seat act in an auction step, as its rank allows."""
    if step == "A":
        _take_seat(table, seat, ("nobility", "church")[rank - 1])  # (R6.1)
    elif step in MERCHANT_STEPS:
        if step == "G":
            _take_seat(table, seat, "merchants")  # even if nothing is sold (R8.2, A25)
        yield from _sell(table, seat)
    elif rank == 3 or (rank == 2 and table.players == 3):
        yield from _be_apprentice(table, seat)
    else:
        yield from _be_master_or_journeyman(table, seat, is_master=rank == 1)


def _be_master_or_journeyman(table: FullTable, seat: int, *, is_master: bool) -> Play:
    """Give (or offer) the master the guild's seat; offer a good and a space, each optional (R7.2, R7.3, A26, A27)."""
    guild = table.guild
    answers = []
    if is_master:
        optional = table.switches["seat_optional"]  # else it is automatic and comes first (A58)
        answers.append((yield from ask("seat", seat, ("none", "seat") if optional else ("seat",), guild)))
        if answers[-1] == "seat":
            _take_seat(table, seat, guild)
    answers.append((yield from ask("good", seat, ("none", "good"), guild)))
    if answers[-1] == "good":
        _take_good(table, seat, guild)
    spaces = _affordable(table, seat, guild)
    if spaces:
        answers.append((yield from ask("place", seat, ("none", *(("place", space) for space in spaces)), guild)))
        if answers[-1] != "none":
            _place(table, seat, answers[-1][1])
    if "none" in answers:  # a right that could be used is left unused (F5.8)
        table.write("act", player=seat, action="decline")


def _be_apprentice(table: FullTable, seat: int) -> Play:
    """Offer a good or a space, optional (R7.4)."""
    guild = table.guild
    spaces = [("place", space) for space in _affordable(table, seat, guild)]
    choice = yield from ask("apprentice", seat, ("none", "good", *spaces), guild)
    if choice == "none":
        table.write("act", player=seat, action="decline")
    elif choice == "good":
        _take_good(table, seat, guild)
    else:
        _place(table, seat, choice[1])


def _affordable(table: FullTable, seat: int, guild: str) -> list[Space]:
    """Return the guild's empty spaces that the seat can pay for (R7.1, A29)."""
    city = table.city
    free = [space for space, owner in city.guilds.items() if owner == guild and space not in table.members]
    return [space for space in free if city.prices[space] <= table.coins[seat]]


def _take_seat(table: FullTable, seat: int, chair: str) -> None:
    """Take a council seat; its former member returns to the owner, who may be the same player (R6.1, A30)."""
    table.write("act", player=seat, action="seat", seat=chair, replaces=table.council[chair])
    table.council[chair] = seat
    table.served.add(seat)


def _take_good(table: FullTable, seat: int, guild: str) -> None:
    """Take a good of the guild; the supply is unlimited (A32)."""
    table.goods[seat][guild] += 1
    table.served.add(seat)
    table.write("act", player=seat, action="good", guild=guild)


def _place(table: FullTable, seat: int, space: Space) -> None:
    """Place a member for the rest of the game, for the printed price (R7.1, R16.7)."""
    price = table.city.prices[space]
    table.coins[seat] -= price
    table.members[space] = seat
    table.served.add(seat)
    table.write("act", player=seat, action="place", space=list(space), price=price)


def _sell(table: FullTable, seat: int) -> Play:
    """Sell any number of the seat's goods for their printed value (R8.1, A31), guild by guild (F6.7)."""
    values, coins, had_goods = table.components["goods"]["value"], 0, any(table.goods[seat].values())
    for guild in table.guild_order:
        count = table.goods[seat][guild]
        _, number = yield from ask("sell", seat, [("sell", number) for number in range(count + 1)], guild)
        if number:
            table.sold[guild] = number
            table.goods[seat][guild] -= number
            table.coins[seat] += number * values[guild]
            coins += number * values[guild]
    if table.sold:
        table.served.add(seat)
        table.write("act", player=seat, action="sell", goods=dict(table.sold), coins=coins)
    elif had_goods:
        table.write("act", player=seat, action="decline")


def _build_chapel(table: FullTable) -> Play:
    """Let the holder of the church seat put one chapel on a free corner (R9.1, A28, A60)."""
    holder = table.council["church"]
    free = [corner for corner in table.city.corners if corner not in table.chapels] if table.chapels_left else []
    site = yield from _choose_site(table, "chapel", holder, free)
    if site:
        table.chapels.append(site)
    table.write("chapel", player=holder, site=site and list(site))


def _build_edifice(table: FullTable) -> Play:
    """Let the holder of the nobility seat put up this round's edifice; unbuilt, it leaves the game (R10.1, A28)."""
    holder, edifice = table.council["nobility"], table.edifices[table.round - 1]
    free = [site for site in table.city.sites if site not in table.built]
    site = yield from _choose_site(table, "edifice", holder, free)
    if site:
        table.built[site] = edifice
    table.write("edifice", player=holder, edifice=edifice, site=site and list(site))


def _choose_site(table: FullTable, building: str, holder: int, free: list[Space]) -> Answer:
    """Return the site in `free` that the holder, always a seat (R16.2), chooses; None if nothing is built."""
    declining: list[Option] = ["none"] if table.switches["building_optional"] or not free else []
    choice = yield from ask(building, holder, [*declining, *((building, site) for site in free)])
    return None if choice == "none" else choice[1]
