// The drawing of Medici vs Strozzi: lot and price, ships of both families beside the tracks of each harbor.
const kindOf = (head, type) => { const k = head.board.types.indexOf(type); return k < 0 ? "gold" : k; };
const goods = (head, t, x, y, w = 38) => rect(x, y, w, 32, `goods g-${kindOf(head, t.type)}`, 4)
  + text(x + w / 2, y + 12, capital(t.type), "tiny", "middle") + text(x + w / 2, y + 28, t.value, "small strong", "middle");

function lotOf(v, head) {
  const w = Math.max(150, 16 + 46 * Math.max(3, v.lot.length)), whose = v.lot.length ? `Lot of ${head.seats[v.proposer].family}` : "No lot";
  let out = spot("lot", rect(0, 0, w, 62, "panel", 8) + text(8, 15, whose, "muted") + v.lot.map((t, k) => goods(head, t, 8 + k * 46, 22, 42)).join(""));
  if (v.price !== null) {
    out += text(w + 14, 28, v.price, "big") + text(w + 14, 46, v.buyer === null ? "coins asked" : `paid by ${head.seats[v.buyer].family}`, "muted");
  }
  return out;
}

function shipOf(v, head, s, seat, x, y, slot) {
  let out = rect(x, y, slot * s.capacity + 8, 40, "panel", 6) + tag("g", {class: `p${seat}`}, rect(x, y + 41, slot * s.capacity + 8, 4, "fill", 2));
  for (let k = 0; k < s.capacity; k++)
    out += s.tiles[k] ? goods(head, s.tiles[k], x + 5 + k * slot, y + 4, slot - 3) : rect(x + 5 + k * slot, y + 4, slot - 3, 32, "empty", 4);
  return out;
}

function trackOf(v, head, id, kind, g) {
  const {tx, y, name, tw} = g, {half, bonus} = head.board.tracks[id][kind], cw = (tw - name) / (2 * half + 1);
  const place = v.markers[id][kind], ahead = v.ahead[id][kind], mx = p => tx + name + (half - p) * cw + cw / 2 - 1;
  let out = text(tx, y + 17, capital(kind), "small");
  for (let j = 0; j <= 2 * half; j++) {
    const p = half - j, b = bonus[Math.abs(p)], x = tx + name + j * cw;
    out += rect(x, y, cw - 2, 24, b ? "cell bonus" : p ? "cell" : "cell start", 3) + (b ? text(x + cw / 2 - 1, y + 16, b, "tiny faint", "middle") : "");
  }
  if (ahead !== place) out += line(mx(place), y + 12, mx(ahead), y + 12, "path") + tag("circle", {cx: mx(ahead), cy: y + 12, r: 8, class: "ghost ink"});
  return spot(`track:${id}:${kind}`, out + tag("path", {d: `M${mx(place)} ${y + 2}l9 10l-9 10l-9 -10z`, class: "piece"}));
}

function berthOf(v, head, id, seat, g) {
  const {x, y, slot, side, can} = g, s = v.ships[seat].find(each => each.harbor === id), own = seat === head.viewer;
  if (s) return spot(own && can.includes(`load:${s.capacity}@${id}`) ? `load:${s.capacity}@${id}` : `berth:${id}:${seat}`, shipOf(v, head, s, seat, x, y, slot));
  let out = rect(x, y, side, 44, "empty", 6);
  const free = v.ships[seat].filter(each => can.includes(`load:${each.capacity}@${id}`));
  if (!own || !free.length) return out + text(x + side / 2, y + 26, "no ship", "muted", "middle");
  free.forEach((each, k) => {
    out += spot(`load:${each.capacity}@${id}`, rect(x + 6 + k * 48, y + 6, 42, 32, "panel", 5) + text(x + 27 + k * 48, y + 27, each.capacity, "small strong", "middle"));
  });
  return out;
}

const renderer = {
  draw(v, head, width, ask) {
    const wide = width >= 620, can = (ask?.choices || []).flatMap(c => c.at ? [c.at] : []), most = Math.max(...v.ships[0].map(s => s.capacity));
    let out = lotOf(v, head), y = 78;
    out += spot("bag", rect(width - 78, 0, 78, 62, can.includes("bag") ? "panel" : "empty", 8) + text(width - 39, 26, v.bag, "mid", "middle")
      + text(width - 39, 46, "in the bag", "muted", "middle"));
    const side = wide ? 214 : Math.floor((width - 8) / 2), slot = Math.floor((side - 10) / most), th = 30, name = 46, tw = wide ? width - 2 * side - 24 : width;
    for (const [id, kinds] of Object.entries(head.board.tracks)) {
      const names = Object.keys(kinds), tx = wide ? side + 12 : 0, ty = y + 22, by = wide ? ty : ty + names.length * th + 22;
      const load = seat => `${head.seats[seat].family} ${v.totals[id][seat] ?? "no ship"}`;
      out += text(tx, y + 12, id, "name");
      names.forEach((kind, k) => { out += trackOf(v, head, id, kind, {tx, y: ty + k * th, name, tw}); });
      [0, 1].forEach(seat => {
        const x = seat === 0 ? 0 : wide ? width - side : side + 8;
        out += disc(seat, x + 10, by - 11, 9) + text(x + 25, by - 7, v.totals[id][seat] === null ? head.seats[seat].family : `${load(seat)} in value`, "muted");
        out += berthOf(v, head, id, seat, {x, y: by, slot, side, can});
      });
      y = wide ? ty + Math.max(62, names.length * th) + 20 : by + 64;
    }
    const note = ["Rings: where a marker will be at the end of the round.", "Numbers on a track: its bonus."];
    out += wide ? text(0, y + 8, note.join(" "), "muted") : text(0, y + 8, note[0], "muted") + text(0, y + 25, note[1], "muted");
    return {svg: out, height: y + (wide ? 14 : 31)};
  },
  columns: v => [
    {name: "Ships not moored", short: "Ships left", cell: s => v.ships[s].filter(x => !x.harbor).map(x => x.capacity).join(" ") || "–"},
    {name: "Tiles", cell: s => v.ships[s].reduce((n, x) => n + x.tiles.length, 0)},
    {name: "Cash", cell: s => v.cash[s] ?? "?"},
  ],
  words: (v, head) => {
    const place = p => p === 0 ? "in the middle" : `${Math.abs(p)} towards ${head.seats[p > 0 ? 0 : 1].family}`;
    const markers = Object.entries(v.markers).map(([h, m]) => `${h}: ${Object.entries(m).map(([k, p]) => `${k} ${place(p)}`).join(", ")}`);
    return `${v.lot.length ? `On the table ${v.lot.map(t => `${t.type} ${t.value}`).join(", ")}. ` : ""}${markers.join("; ")}.`;
  },
};
