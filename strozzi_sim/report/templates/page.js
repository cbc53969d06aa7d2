"use strict";
(() => {
const $ = (q, n = document) => n.querySelector(q), $$ = (q, n = document) => [...n.querySelectorAll(q)];
const make = (tag, props = {}, ...kids) => { const e = Object.assign(document.createElement(tag), props); e.append(...kids); return e; };
const save = (name, text, type) => { const a = make("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name}); a.click(); setTimeout(() => URL.revokeObjectURL(a.href), 1000); };
const csv = rows => rows.map(r => r.map(v => /[",\n]/.test(v ?? "") ? `"${v.replaceAll('"', '""')}"` : v ?? "").join(",")).join("\n") + "\n";

// Theme
const root = document.documentElement, button = $("#theme");
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
button.onclick = () => { root.dataset.theme = dark() ? "light" : "dark"; try { localStorage.setItem("theme", root.dataset.theme); } catch {} name(); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name); name();

// Print: the first screen on one page, or everything
let opened = [];
$("#print").onclick = () => print();
$("#print-all").onclick = () => { root.classList.add("whole"); print(); };
addEventListener("beforeprint", () => { if (root.matches(".whole")) { opened = $$("details:not([open])"); opened.forEach(d => { d.open = true; }); } });
addEventListener("afterprint", () => { root.classList.remove("whole"); opened.forEach(d => { d.open = false; }); opened = []; });

// Tips: one element, for marks, cells and words; Escape hides it
const tip = $("#tip"); let told = null;
const hide = () => { tip.hidden = true; told?.classList.remove("on"); told?.removeAttribute("aria-describedby"); told = null; };
const tell = mark => {
  if (told !== mark) hide();
  told = mark; mark.classList.add("on"); tip.textContent = mark.dataset.t; tip.hidden = false;
  if (mark.matches("button, td")) mark.setAttribute("aria-describedby", "tip");
  const r = mark.getBoundingClientRect(), w = tip.offsetWidth, h = tip.offsetHeight;
  tip.style.left = Math.max(8, Math.min(innerWidth - w - 8, r.left + r.width / 2 - w / 2)) + "px";
  tip.style.top = (r.top - h - 8 < 4 ? r.bottom + 8 : r.top - h - 8) + "px";
};
const near = e => { // the nearest mark of a picture within 18 px, so that small points are easy to hit
  const direct = e.target.closest?.("[data-t]"); if (direct) return direct;
  const box = e.target.closest?.(".picture svg"); if (!box) return null;
  let best = null, least = 18 * 18;
  for (const m of $$("[data-t]", box)) { const r = m.getBoundingClientRect(), d = (r.x + r.width / 2 - e.clientX) ** 2 + (r.y + r.height / 2 - e.clientY) ** 2; if (d < least) [least, best] = [d, m]; }
  return best;
};
addEventListener("pointermove", e => { const m = near(e); m ? tell(m) : told && !told.matches(":focus") && hide(); });
addEventListener("pointerdown", e => { const m = near(e); m ? tell(m) : hide(); });
addEventListener("scroll", hide, {passive: true, capture: true});
addEventListener("focusin", e => { if (e.target.dataset?.t && e.target.matches(":focus-visible")) tell(e.target); });
addEventListener("focusout", hide);
addEventListener("keydown", e => {
  if (e.key === "Escape") return hide();
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[e.key], at = document.activeElement;
  if (!step || !at) return;
  if (at.matches(".wide, .narrow")) { const marks = $$("[data-t]", at); const k = marks.indexOf(told); e.preventDefault(); tell(marks[(k + step + marks.length) % marks.length]); status(tip.textContent); }
  else if (at.matches(".heat td")) { // arrows walk over a heat map
    const row = at.parentElement, cells = $$("td", row), k = cells.indexOf(at);
    const next = e.key === "ArrowRight" ? cells[k + 1] : e.key === "ArrowLeft" ? cells[k - 1] : $$("td", (e.key === "ArrowDown" ? row.nextElementSibling : row.previousElementSibling) ?? row)[k];
    if (next) { e.preventDefault(); at.tabIndex = -1; next.tabIndex = 0; next.focus(); tell(next); }
  }
});
const live = make("p", {className: "skip"}); live.setAttribute("aria-live", "polite"); live.setAttribute("role", "status"); $("footer").append(live);
const status = text => { live.textContent = text; };

// What is packed in the page: the marks of its pictures, whose sentences stand there once, and the explorer's counts
const unpack = async text => JSON.parse(await new Response(new Blob([Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0))]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text());
const marks = window.DecompressionStream ? unpack($("#marks").textContent) : Promise.resolve({});
marks.then(all => $$("figure.picture").forEach(f => { const own = all[f.dataset.name]; if (own) $$("[data-m]", f).forEach(m => { m.dataset.t = own.rows[m.dataset.m].at(-1); }); }));
const marks_csv = ({columns, rows}) => csv([columns, ...rows.map(r => r.map(v => v == null ? "" : String(v)))]);
const picture_svg = svg => { // with its legend below
  const style = getComputedStyle(root), escaped = text => text.replace(/[&<]/g, z => z === "&" ? "&amp;" : "&lt;"), [wide, tall] = ["width", "height"].map(k => +svg.getAttribute(k));
  let x = 14, line = 0;
  const entries = $$(".legend li", svg.closest("figure")).map(li => {
    const long = 7 * li.textContent.trim().length + 34; if (x > 14 && x + long > wide) { x = 14; line++; }
    const mark = $("svg", li), at = `translate(${x},${tall + 12 + 20 * line})`; x += long;
    return `<g transform="${at}"><g fill="${getComputedStyle(mark).fill}">${mark.innerHTML}</g><text x="13" y="4" fill="var(--ink)">${escaped(li.textContent.trim())}</text></g>`;
  });
  const whole = tall + (entries.length ? 28 + 20 * line : 0), inner = new XMLSerializer().serializeToString(svg);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${whole}" font-family="Arial, sans-serif" font-size="12" style="background:var(--paper)">${inner}${entries.join("")}</svg>`.replace(/var\((--\w+)[^)]*\)/g, (_, v) => style.getPropertyValue(v).trim());
};

// Sortable tables, CSV, SVG
document.addEventListener("click", async e => {
  const head = e.target.closest(".figures thead button:first-child"), as = kind => e.target.closest(kind);
  if (head) {
    const th = head.parentElement, body = $("tbody", th.closest("table")), k = [...th.parentElement.children].indexOf(th);
    const up = th.getAttribute("aria-sort") === "descending" || (th.getAttribute("aria-sort") === "none" && !th.matches(".num"));
    $$("th", th.parentElement).forEach(o => o.setAttribute("aria-sort", "none")); th.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = tr => { const c = tr.children[k], v = c.dataset.v ?? c.textContent; return v !== "" && isFinite(v) ? +v : v; };
    const last = v => v === "" ? 1 : 0;
    body.append(...[...body.rows].sort((a, b) => { const x = key(a), y = key(b); return last(x) - last(y) || (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1); }));
  } else if (as("caption .csv")) {
    const first = as("caption .csv").closest("table"), heat = first.matches(".heat");
    const tables = heat ? $$("table.heat", first.closest(".maps")) : [first], out = [];
    for (const t of tables) {
      const heads = $$("thead th", t).map(h => h.firstElementChild?.textContent ?? h.textContent), keys = $$("tbody tr:first-child th", t).length;
      if (!out.length) out.push([...(heat ? ["panel", ...heads[0].split(" / ")] : [...heads.slice(0, keys), "figure"]), "value", "low", "high", "n"]);
      for (const tr of $$("tbody tr", t)) [...tr.children].forEach((c, k) => { if (k >= keys && (c.dataset.v || c.dataset.n)) out.push([...(heat ? [t.caption.firstChild.textContent.trim()] : []), ...[...tr.children].slice(0, keys).map(h => h.textContent), heads[k], c.dataset.v, c.dataset.l, c.dataset.h, c.dataset.n]); });
    }
    save(first.dataset.name + ".csv", csv(out), "text/csv");
  } else if (as(".svg")) save(as(".svg").dataset.name + ".svg", picture_svg($$("svg[role=img]", as(".svg").closest("figure")).find(s => s.getBoundingClientRect().width > 0)), "image/svg+xml");
  else if (as(".marks")) save(as(".marks").dataset.name + ".csv", marks_csv((await marks)[as(".marks").dataset.name]), "text/csv");
});

// Links into what can be opened
const reveal = () => { const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1)); const box = target && target.closest("details"); if (box) { box.open = true; target.scrollIntoView(); } };
addEventListener("hashchange", reveal); reveal();
document.addEventListener("click", e => { // to a step of the game's table
  const link = e.target.closest("a[data-step]"), table = link && $("iframe.frame"); if (!table) return;
  table.closest("details").open = true; table.contentWindow.location.hash = link.dataset.step;
});

// The explorer
if (!$("#cube")) return;
const form = $("#form"), F = form.elements, AXES = ["players", "agent", "variant", "round"];
let studies = [], shown = [];
const uniq = list => [...new Set(list)];
const options = (select, list, keep) => { const old = keep ?? select.value; select.replaceChildren(...list.map(([value, text]) => make("option", {value, textContent: text}))); if (list.some(([v]) => String(v) === String(old))) select.value = old; };
const maps = () => studies.flatMap(s => s.maps);
const chosen = () => maps().filter(m => m.fact === F.fact.value && m.row === F.row.value && m.column === F.column.value);
const current = () => chosen().find(m => m.measures.some(x => m.id + "/" + x.id === F.measure.value)) ?? chosen()[0];
const measure_of = m => m.measures.find(x => m.id + "/" + x.id === F.measure.value) ?? m.measures[0];
const label = m => m.where ? ` (${m.where})` : "";
const fill = () => {
  options(F.fact, uniq(maps().map(m => m.fact)).map(f => [f, f]));
  options(F.row, uniq(maps().filter(m => m.fact === F.fact.value).map(m => m.row)).map(r => [r, r]));
  options(F.column, uniq(maps().filter(m => m.fact === F.fact.value && m.row === F.row.value).map(m => m.column)).map(c => [c, c]));
  options(F.measure, uniq(chosen().flatMap(m => m.measures.map(x => m.id + "/" + x.id))).map(v => { const m = chosen().find(o => v.startsWith(o.id + "/")), x = m.measures.find(o => m.id + "/" + o.id === v); return [v, x.label + label(m)]; }));
  const cells = studies.flatMap(s => s.cells);
  options(F.players, uniq(cells.map(c => c[0])).sort((a, b) => a - b).map(v => [v, v])); options(F.agent, uniq(cells.map(c => c[1])).map(v => [v, v])); options(F.variant, uniq(cells.map(c => c[3])).map(v => [v, v]));
  const rounds = current()?.rounds ?? []; options(F.round, (rounds.length ? rounds : ["all"]).map(r => [r, r === "all" ? "all rounds" : r]));
  for (const [k, name] of AXES.entries()) F[name].closest("label").hidden = F[name].options.length < 2;
};
const index = new WeakMap(); // where the numbers of each cell and round begin
const starts = (study, m) => {
  if (!index.has(m)) { const out = [], size = m.rows.length * m.columns.length * m.measures.length; let at = 0; for (let c = 0; c < study.cells.length * Math.max(m.rounds.length, 1); c++) { out.push(at); for (let k = 0; k < size; k++) at += m.data[at] >= study.few ? 4 : 1; } index.set(m, out); }
  return index.get(m);
};
const grid = (study, m, cell, round, which) => { // [row][column] = {n, v, l, h}
  const k = study.cells.indexOf(cell), r = Math.max(m.rounds.indexOf(round), 0), j = m.measures.findIndex(x => x.id === which.id);
  let at = starts(study, m)[k * Math.max(m.rounds.length, 1) + r];
  return m.rows.map(() => m.columns.map(() => {
    const out = {n: 0};
    m.measures.forEach((_, q) => {
      const n = m.data[at], full = n >= study.few;
      if (q === j) { out.n = n; if (full && m.data[at + 1] !== null) { const [v, a, b] = m.data.slice(at + 1, at + 4); out.v = v / which.scale; if (a !== null) { out.l = (v - a) / which.scale; out.h = (v + a + b) / which.scale; } } }
      at += full ? 4 : 1;
    });
    return out;
  }));
};
const fixed = (v, digits) => v.toFixed(Math.max(digits, 0)).replace("-", "\u2212").replace(/^\u2212(0(\.0*)?)$/, "$1");
const digits_of = (half, v, x) => { // one digit of the interval, three of the value: `decimals` of the tables
  const f = x.unit === "%" ? 100 : 1, first = +Math.abs(f * v).toExponential(2).split("e")[1];
  return Math.min(2 - first, half > 0 ? Math.min(x.unit === "%" ? 1 : 3, Math.max(Math.floor(Math.log10(9.8 / (f * half)) + 1e-9), Math.min(1 - first, 0))) : 1);
};
const rounded = (v, x, digits) => { const f = x.unit === "%" ? 100 : 1, step = 10 ** Math.max(-digits, 0); return fixed(step > 1 ? Math.round(f * v / step) * step : f * v, digits); };
const number = (v, x, half) => rounded(v, x, digits_of(half, v, x));
const draw = () => {
  const m = current(), x = measure_of(m), by = F.panel.value === "" ? -1 : +F.panel.value, suffix = x.unit === "%" ? "\u202f%" : "";
  const want = [+F.players.value, F.agent.value, F.variant.value, F.round.value];
  AXES.forEach((name, k) => { F[name].disabled = by === k; });
  const panels = [];
  for (const s of studies) {
    const own = s.maps.find(o => o.id === m.id); if (!own || !own.measures.some(o => o.id === x.id)) continue;
    const w = own.measures.find(o => o.id === x.id), of_cell = [0, 1, 3];
    for (const c of s.cells) {
      if (![0, 1, 2].every(k => by === k || c[of_cell[k]] === want[k])) continue;
      const rounds = by === 3 ? own.rounds.filter(r => r !== "all") : [own.rounds.includes(want[3]) ? want[3] : own.rounds[0] ?? "all"];
      for (const r of rounds.length ? rounds : ["all"]) panels.push({c, r, own, name: by === 0 ? `${c[0]} players` : by === 3 ? `round ${r}` : by < 0 ? "" : c[of_cell[by]], data: grid(s, own, c, r, w)});
    }
  }
  panels.sort((a, b) => by === 0 ? a.c[0] - b.c[0] : 0);
  const half_of = d => d.l === undefined ? 0 : (d.h - d.l) / 2;
  const worth = panels.flatMap(p => p.data.flat().filter(d => d.v !== undefined).map(d => digits_of(half_of(d), d.v, x))).sort((a, b) => a - b), usual = Math.max(worth[worth.length >> 1] ?? 1, 1); // most decimals of a cell
  const off = (v, c) => x.equal ? v - 1 / c[0] : v;
  const seen = panels.flatMap(p => p.data.flat().filter(d => d.v !== undefined).map(d => off(d.v, p.c)));
  const low = Math.min(...seen), high = Math.max(...seen), two = x.equal || low < 0, far = Math.max(-low, high, 1e-9), box = $("#maps"); box.replaceChildren(); shown = [];
  const context = [by !== 0 && `${want[0]} players`, by !== 1 && F.agent.options.length > 1 && want[1], by !== 2 && F.variant.options.length > 1 && want[2], by !== 3 && want[3] !== "all" && `round ${want[3]}`].filter(Boolean).map(t => `; ${t}`).join("");
  $("#said").textContent = panels.length && seen.length ? `${x.label[0].toUpperCase()}${x.label.slice(1)}, by ${m.row} and ${m.column}${context}` : "Too few events, or nobody played that. Choose another combination.";
  $("#means").textContent = x.means;
  for (const p of panels) {
    const cols = p.own.columns.map((_, j) => j).filter(j => p.data.some(r => r[j].n)), rows = p.own.rows.map((_, i) => i).filter(i => p.data[i].some(d => d.n));
    const body = make("tbody"), table = make("table", {className: "heat"}, make("caption", {textContent: p.name || m.column}), make("thead", {}, make("tr", {}, make("th", {scope: "col", textContent: `${m.row} / ${m.column}`}), ...cols.map(j => make("th", {scope: "col", textContent: p.own.columns[j]})))), body);
    rows.forEach((i, ri) => body.append(make("tr", {}, make("th", {scope: "row", textContent: p.own.rows[i]}), ...cols.map((j, cj) => {
      const d = p.data[i][j], td = make("td"), place = `${m.row} ${p.own.rows[i]}, ${m.column} ${p.own.columns[j]}`; td.tabIndex = ri + cj === 0 ? 0 : -1;
      if (d.v === undefined) { td.className = "few"; td.textContent = "\u2013"; td.dataset.t = `${place}: n = ${d.n.toLocaleString("en")}, too few for a value`; return td; }
      const o = off(d.v, p.c), same = x.equal && d.l !== undefined && off(d.l, p.c) <= 0 && off(d.h, p.c) >= 0, part = two ? Math.abs(o) / far : high > low ? (o - low) / (high - low) : 0;
      td.style.setProperty("--p", same ? 0 : part.toFixed(3)); if (same) td.classList.add("noise"); if (two && o < 0) td.classList.add("neg");
      const half = half_of(d), digits = digits_of(half, d.v, x), said = [d.v, d.l, d.h].map(side => side === undefined ? "" : rounded(side, x, digits));
      td.textContent = rounded(d.v, x, Math.min(usual, digits));
      td.dataset.t = `${place}: ${said[0]}${suffix}${half ? ` (${said[1]} to ${said[2]})` : ""}, n = ${d.n.toLocaleString("en")}`;
      shown.push([p.c[0], p.c[1], p.c[3], p.r, p.own.rows[i], p.own.columns[j], x.label, d.v, d.l ?? "", d.h ?? "", d.n].map(String));
      return td;
    }))));
    box.append(make("div", {className: "scroll"}, table));
  }
  if (seen.length) box.append(make("p", {className: "scale"}, ...(two ? [x.equal ? `${(100 * far).toFixed(0)} points below an equal share` : `${number(-far, x, 0)}${suffix}`, make("i", {className: "two"}), x.equal ? `${(100 * far).toFixed(0)} above. Uncoloured: not told apart from it.` : `${number(far, x, 0)}${suffix}`] : [number(low, x, 0) + suffix, make("i"), number(high, x, 0) + suffix])));
  $$("#presets button").forEach(b => b.setAttribute("aria-pressed", String(b.dataset.m === F.measure.value)));
};
const NAMES = ["fact", "row", "column", "measure", "panel", ...AXES];
const remember = () => { try { history.replaceState(null, "", "#ask=" + NAMES.map(k => encodeURIComponent(F[k].value)).join(",")); } catch {} };
const take = (list) => NAMES.forEach((k, i) => { if (list[i] !== undefined && [...F[k].options].some(o => o.value === list[i])) { F[k].value = list[i]; if (i < 4) fill(); } });
const ask = (id, measure) => { const m = maps().find(o => o.id === id); if (m) take([m.fact, m.row, m.column, `${id}/${measure}`]); };
const prepare = (doc, tag) => { for (const c of doc.cells) c[3] = tag ? `${c[2]} (${tag})` : c[2]; return doc; };
const start = async () => {
  studies = [prepare(await unpack($("#cube").textContent))];
  fill();
  for (const [text, id, measure] of studies[0].presets) {
    const b = make("button", {type: "button", textContent: text}); b.dataset.m = `${id}/${measure}`;
    b.onclick = () => { ask(id, measure); draw(); remember(); }; $("#presets").append(make("li", {}, b));
  }
  const [, id, measure] = studies[0].presets[0]; ask(id, measure); F.players.value = studies[0].first;
  const agents = [...F.agent.options].map(o => o.value); if (agents.length > 2) F.agent.value = agents[1];
  if (location.hash.startsWith("#ask=")) take(location.hash.slice(5).split(",").map(decodeURIComponent));
  draw(); if (location.hash.startsWith("#ask=")) $("#ask").scrollIntoView();
};
if (window.DecompressionStream) start(); else $("#said").textContent = "This browser is too old for this part (it needs DecompressionStream, 2023).";
form.onchange = () => { fill(); draw(); remember(); };
form.onsubmit = e => e.preventDefault();
$("#askcsv").onclick = () => save("question.csv", csv([["players", "agent", "variant", "round", F.row.value, F.column.value, "figure", "value", "low", "high", "n"], ...shown]), "text/csv");
$("#asksvg").onclick = () => { // the shown tables as a picture
  const tables = $$("#maps table"), frame = $("#maps").getBoundingClientRect(), style = getComputedStyle(root), parts = [];
  for (const t of tables) for (const c of $$("th, td, caption", t)) {
    const r = c.getBoundingClientRect(), s = getComputedStyle(c), x = r.x - frame.x, y = r.y - frame.y;
    if (c.matches("td")) parts.push(`<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${r.width.toFixed(1)}" height="${r.height.toFixed(1)}" fill="${s.backgroundColor}"/>`);
    parts.push(`<text x="${(x + r.width / 2).toFixed(1)}" y="${(y + r.height / 2 + 4).toFixed(1)}" text-anchor="middle" font-size="12" fill="${s.color}">${c.textContent.replace(/[&<]/g, z => z === "&" ? "&amp;" : "&lt;")}</text>`);
  }
  save("question.svg", `<svg xmlns="http://www.w3.org/2000/svg" width="${frame.width}" height="${frame.height}" font-family="Arial, sans-serif" style="background:${style.getPropertyValue("--paper").trim()}">${parts.join("")}</svg>`, "image/svg+xml");
};
$("#other").onchange = async e => { // a page like this one, of another study
  const file = e.target.files[0]; if (!file) return;
  const cube = $("#cube", new DOMParser().parseFromString(await file.text(), "text/html"));
  if (!cube) { $("#said").textContent = `${file.name} is not a page of a study with an explorer.`; return; }
  studies.push(prepare(await unpack(cube.textContent), file.name.replace(/\.html$/, ""))); F.panel.value = "2"; fill(); draw(); remember();
};
})();
