"use strict";
// The strip under the box: it posts the box of the page, follows what is known of it, and draws the curve of the number
// in hand. `tools` are functions of the desk, among them `place`, the box, and `box`, its forms.
window.makeStrip = tools => {
const { at, el, send, tried, pause, same, flip, place, box } = tools;
const names = "http://www.w3.org/2000/svg", WIDTH = 180, ROW = 22, MOST_ALARMS = 2, COARSE = 0.02, GAP = "gap between the seats";
let counts = [], agents = "", hand = "", state = { tables: [] }, dragged = {}, posted = Promise.resolve(), isWaiting = false, wake = () => {}, held = null;  // held: until the slider under the pointer is let go

const percent = value => (100 * value).toFixed(1);
const signed = text => (text.startsWith("-") ? `\u2212${text.slice(1)}` : `+${text}`);
const minus = text => text.replaceAll("-", "\u2212");

function shape(tag, given, ...children) {
  const made = document.createElementNS(names, tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

// -- what is shown

const mine = () => ({ ...place(dragged), values: { players: counts.join(","), agents }, key: hand });

// Whether another game or variant than that of the form is on its way to it.
const isOpening = () => place().game !== box().game || place().variant !== box().variant;

// Sends the box of the page; while one is on its way, only the newest waits.
function post() {
  if (isWaiting || !counts.length || isOpening()) return;
  isWaiting = true;
  posted = posted.then(tried(async () => {
    isWaiting = false;
    await send("live", mine());
    wake();
  }));
}

function chooseCounts() {
  const all = box().players;
  counts = counts.filter(each => all.includes(each));
  if (!counts.length) counts = [all.includes(4) ? 4 : all[0]];
  const boxes = all.map(each => el("label", {}, el("input", { type: "checkbox", checked: counts.includes(each), onchange: event => {
    const kept = event.target.checked ? [...counts, each].sort() : counts.filter(other => other !== each);
    counts = kept.length ? kept : counts;
    event.target.checked = counts.includes(each);
    post();
  } }), String(each)));
  if (!box().agents.some(([, agent]) => agent === agents)) agents = "";
  const usual = box().agents.map(([, agent, , players]) => el("option", { value: agent }, players));
  const made = el("select", { "aria-label": "Who plays", onchange: event => { agents = event.target.value; post(); } }, ...usual);
  made.value = agents || box().usual;
  at("live-who").replaceChildren(el("span", { class: "muted" }, "Players"), ...boxes, made);
}

function sideOf(row, most, fair) {
  const [value, low, high] = row.ends, x = share => WIDTH * Math.min(share / most, 1);
  const drawn = shape("svg", { width: WIDTH, height: ROW, viewBox: `0 0 ${WIDTH} ${ROW}`, "aria-hidden": "true" },
    shape("line", { x1: x(fair), x2: x(fair), y1: 0, y2: ROW, class: "fair" }),
    shape("line", { x1: x(low), x2: x(high), y1: ROW / 2, y2: ROW / 2, class: "reach" }),
    shape("circle", { cx: x(value), cy: ROW / 2, r: 4.5 }));
  return el("tr", {}, el("th", { scope: "row" }, row.who), el("td", {}, drawn), el("td", { class: "number" }, percent(value)),
    el("td", { class: "muted" }, `${percent(low)} to ${percent(high)}`), changeOf(row.change, percent));
}

// A change, bold if it is not by chance; on narrow pages without its interval.
function changeOf(change, text) {
  if (!change) return el("td");
  const [value, low, high] = change, isClear = low !== null && (low > 0 || high < 0) && Number(text(value)) !== 0;
  const ends = low === null ? null : el("span", { class: "ends" }, ` (${minus(text(low))} to ${minus(text(high))})`);
  return el("td", { class: isClear ? "clear" : "muted" }, signed(text(value)), ends);
}

function figureOf(row) {
  const [value, low, high] = row.ends, text = each => each.toFixed(1);
  return el("tr", {}, el("th", { scope: "row" }, row.who), el("td", {}), el("td", { class: "number" }, minus(text(value))),
    el("td", { class: "muted" }, low === null ? "" : minus(`${text(low)} to ${text(high)}`)), changeOf(row.change, text));
}

// The widest half of the intervals of shares.
const halfOf = table => Math.max(...table.sides.map(({ ends: [share, least, top] }) => Math.max(share - least, top - share)));

function tableOf(table) {
  const most = Math.max(2 * table.fair, ...table.sides.map(row => row.ends[0])) * 1.1, [value, low, high] = table.gap;
  return el("table", { "data-players": String(table.players), "data-games": String(table.games), "data-half": halfOf(table).toFixed(4) },
    el("caption", {}, el("strong", {}, `${table.players} players`), ` ${table.games.toLocaleString("en")} games`),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "of 100 games"), el("td", {}), el("th", { scope: "col" }, "wins"), el("th", { scope: "col" }, "between (95 %)"), el("th", { scope: "col" }, "change"))),
    el("tbody", {}, ...table.sides.map(row => sideOf(row, most, table.fair)),
      el("tr", {}, el("th", { scope: "row" }, GAP), el("td", {}), el("td", { class: "number" }, percent(value)), el("td", { class: "muted" }, `${percent(low)} to ${percent(high)}`), el("td", {})),
      ...table.figures.map(figureOf)));
}

const isMine = () => same(place(dragged), { game: state.game, variant: state.variant, settings: state.settings });

function draw() {
  const shown = isMine() ? state.tables : [];  // none yet: the tables of the box before stay
  at("live-says").textContent = state.says || (shown.length ? "" : "Following \u2026");
  if (state.tables.length) {
    at("live-tables").replaceChildren(...state.tables.map(tableOf));
    at("live").dataset.box = JSON.stringify([state.game, state.variant, state.settings]);
    chooseCurve();
  }
  const where = players => (shown.length > 1 ? `${players} players: ` : "");
  const found = [0, 1].flatMap(rank => shown.flatMap(({ players, alarms }) => alarms.slice(rank, rank + 1).map(words => where(players) + words)));
  at("live-alarms").replaceChildren(...found.slice(0, MOST_ALARMS).map(words => el("p", { class: "alarm" }, words)));
  at("live").dataset.version = String(state.version);
  drawCurve();
}

// A figure over the values of the number in hand, below its slider.
function drawCurve() {
  const place = document.querySelector(`[data-curve="${CSS.escape(hand)}"]`), name = curveOf();
  const curve = ((state.key === hand && state.curve) || []).filter(({ ends }) => (ends[name]?.[1] ?? null) !== null);
  for (const other of document.querySelectorAll(".curve")) if (other.parentElement !== place) other.remove();
  if (!place || curve.length < 2) return;
  const text = isShare(name) ? percent : value => value.toFixed(1), ends = side => curve.map(each => each.ends[name][side]);
  const width = 260, height = 84, first = curve[0], last = curve.at(-1), top = Math.max(...ends(2)), bottom = Math.min(...ends(1));
  const x = value => 8 + (width - 16) * (value - first.value) / (last.value - first.value), y = value => height - 16 - (height - 36) * (value - bottom) / (top - bottom || 1);
  const edge = side => curve.map(each => `${x(each.value)},${y(each.ends[name][side])}`), now = curve.find(each => each.is_now);
  const least = name === GAP ? curve.reduce((one, two) => (two.ends[GAP][0] < one.ends[GAP][0] ? two : one)) : now;
  const label = each => shape("text", { x: x(each.value), y: height - 2, "text-anchor": each === first ? "start" : each === last ? "end" : "middle" }, String(each.value));
  const title = `${name}: ${now ? `${text(now.ends[name][0])} at ${now.value}, ` : ""}${text(Math.min(...ends(0)))} to ${text(Math.max(...ends(0)))} here`;
  const drawn = shape("svg", { class: "curve", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title },
    shape("text", { x: 8, y: 10 }, title),
    shape("polygon", { points: [...edge(2), ...edge(1).reverse()].join(" "), class: "band" }),
    shape("polyline", { points: edge(0).join(" "), class: "line" }),
    ...curve.map(each => shape("circle", { cx: x(each.value), cy: y(each.ends[name][0]), r: each.is_now ? 5 : 2.5, class: each.is_now ? "now" : "" })),
    ...[...new Set([first, last, now, least])].filter(Boolean).map(label));
  const known = place.querySelector(".curve");
  if (known) known.replaceWith(drawn);
  else place.append(drawn);
}

// The figure of the curve is chosen in the strip, among those of its first table.
const curveOf = () => at("curve-of").value || GAP;
const isShare = name => name === GAP || state.tables[0]?.sides.some(row => row.who === name);
function chooseCurve() {
  const { sides, figures } = state.tables[0], found = [GAP, ...[...sides, ...figures].map(row => row.who)], before = curveOf();
  if ([...at("curve-of").options].map(each => each.value).join() === found.join()) return;
  at("curve-of").replaceChildren(...found.map(name => el("option", {}, name)));
  at("curve-of").value = found.includes(before) ? before : GAP;
}
at("curve-of").addEventListener("change", drawCurve);

// -- sliders: [lowest, highest, step] of a number; while it is dragged the strip follows, and at its end the box does

// The number of a list is shown with its label, and changes the field of the list to `whole(value)`.
function slider(key, value, ends, id, label, before, set, field = key, whole = value => value) {
  if (!ends || ends[0] >= ends[1]) return null;
  const made = el("input", { type: "range", id: `slide-field-${key}`, "data-key": key, "aria-label": `${label}, slider`, min: String(ends[0]), max: String(ends[1]), step: String(ends[2]), title: "double click: the published value" });
  made.value = String(value);
  made.addEventListener("focus", () => take(key));
  made.addEventListener("pointerdown", () => {
    take(key);
    held = new Promise(done => { for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(done), { once: true }); });
  });
  made.addEventListener("input", () => {
    const now = whole(Number(made.value));
    at(id).value = JSON.stringify(now);
    drag(key, { [field]: now });
  });
  made.addEventListener("change", () => { dragged = {}; set(whole(Number(made.value))); });
  made.addEventListener("dblclick", () => { dragged = {}; set(whole(before)); });
  return el("div", { class: "slide", "data-curve": key }, field === key ? null : el("small", {}, label), made);
}

function take(key) {
  if (hand === key) return;
  hand = key;
  post();
}

function drag(key, values) {
  hand = key;
  dragged = values;
  post();
}

// -- following: nothing is asked of the desk, and so nothing plays, while the page is hidden

async function follow() {
  if (document.hidden) await new Promise(done => document.addEventListener("visibilitychange", done, { once: true }));
  state = await send(`live?have=${state.version ?? ""}`);
  if (state.game === undefined || (!isMine() && document.hasFocus())) post();  // windows share the strip: the one in use
  draw();
  const isRough = state.tables.length < counts.length || state.tables.some(table => halfOf(table) > COARSE);
  await Promise.race([pause(isRough ? 30 : 200), new Promise(done => { wake = done; })]);  // a new box is followed at once
}

// -- the history: boxes that were kept or asked about, of which two are compared

const compared = new Set();
let rows = [];

function compare() {
  const [second, first] = rows.filter(row => compared.has(row.number));
  if (!first) return el("p", { class: "muted" }, "Tick two boxes to compare them.");
  const text = (name, value) => textOf(second, name)(value);
  const lines = Object.keys(second.figures).filter(name => name in first.figures).map(name => {
    const [one, low, high] = first.figures[name], [two, least, most] = second.figures[name];
    const ends = [low, high, least, most].includes(null) ? "" : ` (${minus(text(name, least - high))} to ${minus(text(name, most - low))})`;
    return el("li", {}, `${name}: ${signed(text(name, two - one))}${ends}`);
  });
  return el("div", {}, el("p", {}, `“${second.box}” less “${first.box}”, ${second.players} and ${first.players} players:`), el("ul", {}, ...lines));
}

const textOf = (row, name) => (Object.keys(row.figures).indexOf(name) < row.shares ? percent : value => value.toFixed(1));

function rowOf(row, back) {
  const names = Object.keys(row.figures), [gap, first] = names, [last, score, length] = names.slice(row.shares - 1);
  const deed = (path, more = {}) => tried(() => send(path, { answer: row.number, ...more }));
  return el("tr", {}, el("td", {}, el("input", { type: "checkbox", checked: compared.has(row.number), "aria-label": `compare box ${row.number}`, onchange: () => { flip(compared, row.number); drawHistory(rows, back); } })),
    el("th", { scope: "row" }, row.box), el("td", {}, `${row.players}, ${row.who}`), ...[gap, first, last, score, length].map(name => el("td", { class: "number", title: row.figures[name].map(end => end?.toFixed(4)).join(" ") }, textOf(row, name)(row.figures[name][0]))),
    el("td", { class: "number" }, row.games.toLocaleString("en")), el("td", {}, el("input", { type: "text", value: row.note, "aria-label": `note on box ${row.number}`, onchange: event => deed("remark", { name: event.target.value })() })),
    el("td", {}, el("button", { type: "button", onclick: () => back(row) }, "Back to it"), " ", el("button", { type: "button", "aria-label": `forget box ${row.number}`, onclick: deed("drop") }, "\u00d7")));
}

function drawHistory(found, back) {
  rows = found;
  const heads = ["", "box", "players", "gap", "first", "last", "score", "length", "games", "note", ""];
  at("history-rows").replaceChildren(...(rows.length ? [el("table", {}, el("thead", {}, el("tr", {}, ...heads.map(head => (head ? el("th", { scope: "col" }, head) : el("td", {}))))), el("tbody", {}, ...rows.map(row => rowOf(row, back)))), compare()] : []));
}

// While it sticks to the top the strip is low, so that a form or an answer below it is seen; the page keeps its height.
new IntersectionObserver(([{ target, intersectionRatio, boundingClientRect }]) => {
  const whole = target.offsetHeight;
  target.classList.toggle("stuck", intersectionRatio < 1 && boundingClientRect.top < 0);
  target.style.marginBottom = target.classList.contains("stuck") ? `${whole - target.offsetHeight}px` : "";
}, { threshold: 1 }).observe(at("live"));

return {
  slider,
  drawHistory,
  follow,
  // The box of the page is another one.
  changed() {
    dragged = {};
    if (state.game !== at("game").value) at("live-tables").replaceChildren();
    if (!document.querySelector(`[data-curve="${CSS.escape(hand)}"]`)) hand = "";  // another game, or a removed card
    chooseCounts();
    post();
  },
  drawCurve,
  // Deals that are known of the box at one player count, with a line-up or with any (null); 0 if others are shown.
  seen(players, lineup) {
    const shown = isMine() && (lineup === null || (lineup || box().usual) === (agents || box().usual)) ? state.tables : [];
    return shown.find(table => String(table.players) === players)?.deals ?? 0;
  },
  get held() { return held; },
  get players() { return counts.map(String); },
  get agents() { return agents && agents !== box().usual ? agents : ""; },
};
};
