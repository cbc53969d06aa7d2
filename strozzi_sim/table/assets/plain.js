// The table of a game without a script: zones and tracks if its view has them, else its text.
// view.zones: [{name, items: [{text, at?, seat?, back?}]}]; view.tracks: [{name, spaces: [label, ...], pieces: [[seat, space], ...]}]
const plainZone = (zone, y, width) => {
  let x = 0, row = 0, out = text(0, y + 13, zone.name, "name");
  for (const item of zone.items) {
    const w = Math.max(34, 16 + 8 * String(item.text).length + (item.seat === undefined ? 0 : 22));
    if (x && x + w > width) { x = 0; row += 1; }
    const top = y + 20 + row * 42, label = x + w / 2 + (item.seat === undefined ? 0 : 10);
    const inner = rect(x, top, w, 36, item.back ? "panel back" : "panel", 6) + text(label, top + 23, item.text, item.back ? "mid paper" : "mid", "middle")
      + (item.seat === undefined ? "" : disc(item.seat, x + 15, top + 18));
    out += item.at ? spot(item.at, inner) : inner;
    x += w + 6;
  }
  if (!zone.items.length) out += text(0, y + 42, "empty", "muted");
  return {svg: out, height: 20 + 42 * (row + 1) + 12};
};
const plainTrack = (track, y, width) => {
  const n = track.spaces.length, w = (width - 2) / n, stacked = track.spaces.map((_, k) => track.pieces.filter(p => p[1] === k).length);
  const h = Math.max(30, 20 * Math.max(1, ...stacked) + 8), seen = {};
  let out = text(0, y + 13, track.name, "name");
  track.spaces.forEach((label, k) => {
    out += rect(1 + k * w, y + 36, w - 2, h, "cell", 3) + (w > 22 || k % 5 === 0 ? text(k * w + w / 2, y + 31, label, "muted", "middle") : "");
  });
  for (const [seat, space] of track.pieces) {
    const k = seen[space] = (seen[space] ?? -1) + 1;
    out += spot(`piece:${track.name}:${seat}`, disc(seat, space * w + w / 2, y + 36 + 14 + 20 * k));
  }
  return {svg: out, height: h + 48};
};
const plain = {
  draw(v, head, width) {
    let out = "", y = 0;
    for (const zone of v.zones || []) { const part = plainZone(zone, y, width); out += part.svg; y += part.height; }
    for (const track of v.tracks || []) { const part = plainTrack(track, y, width); out += part.svg; y += part.height; }
    if (v.zones || v.tracks) return {svg: out, height: y};
    const lines = (v.text || "").split("\n"), longest = Math.max(24, ...lines.map(l => l.length));
    const size = Math.max(11, Math.min(14, width / (longest * 0.602))), fits = Math.floor(width / (size * 0.602));
    const wrapped = lines.flatMap(l => l.length <= fits ? [l] : l.match(new RegExp(`.{1,${fits}}(\\s|$)|.{1,${fits}}`, "g")));
    out = wrapped.map((l, k) => tag("text", {x: 0, y: size + k * size * 1.4, class: "mono", style: `font-size:${size}px`}, esc(l))).join("");
    return {svg: out, height: size * (1.4 * wrapped.length + 0.4)};
  },
  columns: (v, head) => head.columns.map(([name, key]) => ({name, cell: s => esc(v[key]?.[s] ?? "?")})),
  words: v => [
    ...(v.zones || []).map(z => `${z.name}: ${z.items.map(i => (i.seat === undefined ? "" : `player ${i.seat + 1} `) + i.text).join(", ") || "empty"}.`),
    ...(v.tracks || []).map(t => `${t.name}: ${t.pieces.map(([s, k]) => `player ${s + 1} on ${t.spaces[k]}`).join(", ")}.`),
  ].join(" ") || v.text || "",
};
