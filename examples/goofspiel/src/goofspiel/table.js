// The drawing of goofspiel: the prize in the middle, the cards laid around it, the viewer's hand below.
const paper = (x, y, w, h, words, cls = "") => rect(x, y, w, h, `panel ${cls}`, 7) + text(x + w / 2, y + h / 2 + 9, words, "big", "middle");

const renderer = {
  draw(v, head, width) {
    const zone = name => v.zones.find(z => z.name === name)?.items || [], n = head.players, gap = Math.min(150, width / n);
    let out = text(0, 14, "Prizes to come", "muted");
    zone("Prizes to come").forEach((item, k) => { out += rect(k * 30, 22, 26, 34, "cell", 4) + text(k * 30 + 13, 44, item.text, "small", "middle"); });
    if (v.prize) out += spot("prize", paper(width / 2 - 38, 74, 76, 104, v.prize)) + text(width / 2, 196, v.over ? "the last prize" : "the prize", "muted", "middle");
    const laid = Object.fromEntries(zone("Cards laid").map(item => [item.seat, item]));
    for (let seat = 0; seat < n; seat++) {
      const x = (width - n * gap) / 2 + seat * gap + gap / 2, item = laid[seat];
      out += disc(seat, x, 216, 11) + text(x, 316, `${v.points[seat]} points`, "small", "middle");
      out += !item ? rect(x - 26, 232, 52, 68, "empty", 6) : item.back
        ? spot(item.at, rect(x - 26, 232, 52, 68, "panel back", 6)) : spot(item.at, paper(x - 26, 232, 52, 68, item.text));
    }
    const hand = zone("Your hand");
    if (head.viewer === null) return {svg: out, height: 324};
    out += text(0, 348, "Your hand", "muted");
    const w = Math.min(50, (width - 4) / Math.max(1, hand.length));
    hand.forEach((item, k) => { out += spot(item.at, paper(2 + k * w, 358, w - 5, 62, item.text)); });
    return {svg: out, height: 426};
  },
  columns: v => [{name: "Cards in hand", short: "Cards", cell: s => v.cards[s]}, {name: "Points", cell: s => v.points[s]}],
  words: v => `The prize is ${v.prize ?? "not turned up"}. ${v.points.map((p, s) => `Seat ${s} has ${p} points`).join(", ")}.`,
};
