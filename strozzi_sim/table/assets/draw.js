// Text of SVG elements: needs no document, so that a test can draw too.
const esc = s => String(s).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);
const attribute = ([k, v]) => v === undefined || v === null || v === false ? "" : ` ${k}="${esc(v)}"`;
const tag = (name, attrs, inner = "") => `<${name}${Object.entries(attrs).map(attribute).join("")}>${inner}</${name}>`;
const text = (x, y, words, cls, anchor, more = {}) => tag("text", {x, y, class: cls, "text-anchor": anchor, ...more}, esc(words));
const rect = (x, y, width, height, cls, rx = 4, more = {}) => tag("rect", {x, y, width, height, class: cls, rx, ...more});
const line = (x1, y1, x2, y2, cls) => tag("line", {x1, y1, x2, y2, class: cls});
// A part of the drawing that can be touched or chosen, by its name in the JSON.
const spot = (name, inner) => tag("g", {"data-at": name}, inner);
// A seat is a colour and a sign: its place, or what `signs` has for it.
const signs = {};
const sign = seat => signs[seat] ?? seat + 1;
const disc = (seat, x, y, r = 9) =>
  tag("g", {class: `p${seat}`}, tag("circle", {cx: x, cy: y, r, class: "disc"}) + text(x, y + 4, sign(seat), "num", "middle"));
const badge = seat => `<svg class="badge" width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">${disc(seat, 10, 10, 9.5)}</svg>`;
const capital = s => s.charAt(0).toUpperCase() + s.slice(1);
const chip = (words, cls = "") => `<span class="chip ${cls}">${esc(words)}</span>`;
