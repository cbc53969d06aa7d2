// The drawing of Strozzi: open ship, tiles, tracks (reading order is rank), berths by speed under their prizes.
const PORTS = ["venice", "rome", "naples"], KINDS = ["Art", "Science", "Architecture"];
const FLAG = {pirate: "Pirate", plus_one: "+1", ware: "Ware"};
const pennant = (x, y, seat, words) => tag("g", {class: `p${seat}`},
  tag("path", {d: `M${x} ${y}h46l-7 10l7 10h-46z`, class: "pennant"}) + line(x, y, x, y + 30, "pole") + text(x + 20, y + 14, words, "num", "middle"));
const pips = (x, y, n) => Array.from({length: n}, (_, k) => rect(x + k * 12, y - 9, 9, 9, "pip", 2)).join("");

function shipCard(v, x, y) {
  const s = v.ship;
  if (!s) return rect(x, y, 182, 124, "empty", 8) + text(x + 91, y + 66, v.over ? "The game is over" : "No ship is open", "muted", "middle");
  const rows = [["Venice", s.venice], ["Rome", s.rome], ["Naples", s.naples], ["Florence", s.scrolls]];
  return spot("ship", rect(x, y, 182, 124, "panel", 8)
    + tag("path", {d: `M${x + 14} ${y + 80}L${x + 38} ${y + 14}L${x + 62} ${y + 80}Z`, class: "sail"})
    + tag("path", {d: `M${x + 8} ${y + 85}h60l-9 14h-42z`, class: "hull"})
    + text(x + 38, y + 70, s.sail, "big", "middle") + text(x + 38, y + 115, "speed", "muted", "middle")
    + rows.map(([name, n], k) => text(x + 80, y + 26 + k * 22, name, n ? "small" : "small faint")
      + (n ? pips(x + 138, y + 26 + k * 22, n) : text(x + 138, y + 26 + k * 22, "–", "small faint"))).join("")
    + (s.promotion ? text(x + 80, y + 114, "and a tile", "small strong") : ""));
}

const tile = (t, x, y, w) => spot(`tile:${t.id}`, rect(x, y, w, 58, "panel", 6) + text(x + w / 2, y + 18, capital(t.category), "small", "middle")
  + text(x + w / 2, y + 38, t.value, "mid", "middle") + (t.ware ? text(x + w / 2, y + 52, `${capital(t.ware)} +1`, "tiny", "middle") : ""));

function trackOf(v, head, city, g) {
  const {x0, top, cw, h, r, ghosts} = g, bonus = head.board.bonus;
  let out = "";
  v.tracks[city].forEach((there, k) => {
    const cx = x0 + k * cw, mid = cx + cw / 2 - 1;
    out += rect(cx, top, cw - 2, h, bonus[k] ? "cell bonus" : k ? "cell" : "cell start", 3);
    there.forEach((seat, j) => {
      const n = there.length, mx = mid + (n < 3 ? 0 : (j % 2 ? 1 : -1) * (r + .5));
      const my = n === 1 ? top + h / 2 : n === 2 ? top + h / 2 + (j ? 1 : -1) * (r + 1) : top + 3 + r + Math.floor(j / 2) * (2 * r + 1);
      out += spot(`marker:${city}:${seat}`, disc(seat, mx, my, r));
    });
    for (const ghost of ghosts) if (ghost.city === city && ghost.space === k)
      out += tag("circle", {cx: mid, cy: there.length ? top + h - r - 3 : top + h / 2, r: r + 1, class: `ghost p${head.viewer}`});
  });
  return out;
}

function berthsOf(v, head, city, g) {
  const {bx, by, bw, hh, wide, ghosts} = g;
  let out = "";
  for (let k = 0; k < head.players; k++) {
    const s = v.ports[city][k], x = bx + k * bw;
    if (!s) {
      out += rect(x, by, bw - 4, hh, "empty", 5);
      if (!wide && head.board.prizes[k]) out += text(x + bw / 2 - 2, by + 25, head.board.prizes[k], "muted", "middle");
    } else {
      const hull = tag("path", {d: `M${x} ${by + hh / 2}l7 ${-hh / 2}h${bw - 11}v${hh}h${11 - bw}z`, class: "fill"});
      out += spot(`berth:${city}:${s.seat}`, tag("g", {class: `p${s.seat}`}, hull
        + text(x + bw / 2 - 6, by + hh / 2 + 1, s.speed, "mid num", "middle") + text(x + bw / 2, by + hh / 2 + 16, FLAG[s.flag], "tiny num", "middle")
        + text(x + bw - 8, by + 13, sign(s.seat), "tiny num strong", "end")));
    }
    for (const ghost of ghosts) if (ghost.city === city && ghost.rank === k + 1) out += rect(x - 2, by - 2, bw, hh + 4, `ghost p${head.viewer}`, 6);
  }
  return out;
}

const renderer = {
  draw(v, head, width, ask) {
    const wide = width >= 620, n = head.players, board = head.board, ghosts = (ask?.choices || []).flatMap(c => c.ghost ? [c.ghost] : []);
    const x = wide ? 204 : 194;
    let out = shipCard(v, 1, 1);
    if (v.ship) {
      out += disc(v.active ?? v.start, x + 9, 16) + text(x + 24, 20, "turned it over", "small");
      out += v.holder === null ? text(x, 48, "No flag on it", "muted") : spot("claim", pennant(x + 1, 34, v.holder, FLAG[v.flag])) + disc(v.holder, x + 62, 44);
    }
    out += text(x, 120, `${v.deck} ${v.deck === 1 ? "ship" : "ships"} in the deck`, "muted");
    if (ask && v.ship && v.holder !== head.viewer) v.flags[head.viewer].forEach((f, k) => {
      out += spot(`flag:${f}`, pennant(x + k * 54 + 1, 68, head.viewer, FLAG[f]));
    });
    const tw = wide ? 92 : Math.floor((width - 14) / 3), tx = wide ? width - 3 * (tw + 6) + 5 : 1, ty = wide ? 24 : 152;
    out += text(tx, ty - 6, `Promotion tiles, ${v.stack} face down`, "muted");
    v.display.forEach((t, k) => { out += tile(t, tx + (k % 3) * (tw + 6), ty + 64 * Math.floor(k / 3), tw); });
    let y = (wide ? 152 : 234) + 64 * Math.max(0, Math.ceil(v.display.length / 3) - 1);
    const label = wide ? 74 : 0, bw = wide ? Math.min(52, Math.floor((width - 470) / n)) : Math.min(58, Math.floor((width - 2) / n));
    const cw = Math.floor(((wide ? width - n * bw - 24 : width) - label - 2) / (board.top + 1)), bx = wide ? label + cw * (board.top + 1) + 24 : 1;
    for (let k = 0; k <= board.top; k++)
      out += text(label + k * cw + cw / 2, y - 5, board.bonus[k] ? `+${board.bonus[k]}` : k, board.bonus[k] ? "small strong" : "muted", "middle");
    if (wide) {
      out += text(0, y - 5, "bonus from +", "muted");
      board.prizes.slice(0, n).forEach((p, k) => { out += text(bx + k * bw + bw / 2 - 2, y - 5, `${["1st", "2nd", "3rd"][k] || `${k + 1}th`} ${p}`, "muted", "middle"); });
    }
    const rows = Math.ceil(n / 2), r = cw < 34 ? 8 : wide ? 10 : 9, h = Math.max(wide ? 58 : 50, rows * (2 * r + 1) + 6);
    for (const city of [...PORTS, "florence"]) {
      const port = city !== "florence", top = y + (wide ? 0 : 20), by = wide ? y : top + h + 4, total = wide ? h : port ? h + 68 : h + 20;
      let band = rect(-5, y - 3, width + 10, total + 6, "touch", 6)
        + (wide ? text(0, y + h / 2 - 2, capital(city), "name") + text(0, y + h / 2 + 15, port ? "port" : "ranks ties", "muted") : text(0, y + 14, capital(city), "name"))
        + trackOf(v, head, city, {x0: label + 1, top, cw, h, r, ghosts});
      if (port) band += berthsOf(v, head, city, {bx, by, bw, hh: wide ? h : 40, wide, ghosts});
      out += port ? spot(`port:${city}`, band) : band;
      y += total + (wide ? 14 : 16);
    }
    return {svg: out, height: y - 6};
  },
  columns: v => [
    {name: "Flags in hand", left: true, cell: s => v.flags[s].map(f => chip(FLAG[f])).join(" ") || "–"},
    ...KINDS.map((name, k) => ({name, short: ["Art", "Sci.", "Arch."][k], cell: s => v.tiles[s][k] || "–"})),
    {name: "Coins", cell: s => v.coins[s]},
  ],
  words: v => {
    const ports = PORTS.map(p => `${capital(p)}: ${v.ports[p].map(s => `player ${s.seat + 1} with speed ${s.speed}`).join(", ") || "no ship"}`);
    const spaces = track => track.flatMap((there, k) => there.map(s => `player ${s + 1} on ${k}`)).reverse().join(", ");
    return `${ports.join("; ")}. Markers: ${Object.entries(v.tracks).map(([c, t]) => `${capital(c)} ${spaces(t)}`).join("; ")}.`;
  },
};
