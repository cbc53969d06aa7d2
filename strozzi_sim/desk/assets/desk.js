"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const at = id => document.getElementById(id);
const storage = "strozzi-desk";

// An element with attributes, listeners and children.
function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && typeof value !== "string") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter(each => each !== null && each !== undefined));
  return made;
}

let waiting;
function complain(words) {
  clearTimeout(waiting);
  at("problem").textContent = words;
  at("problem").hidden = !words;
  if (words) waiting = setTimeout(() => { at("problem").hidden = true; }, 9000);
}

async function send(path, body) {
  let response, found;
  try {
    response = await fetch(path, body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    found = await response.json();
  } catch {
    throw new Error("The desk does not answer. Start it again with `strozzi desk`; answers so far are kept.");
  }
  if (!response.ok) throw new Error(found.error);
  return found;
}
const tried = action => (...given) => Promise.resolve(action(...given)).catch(error => complain(error.message));
const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));
// Repeats a step while the page is open; after one that fails it waits.
async function forever(step) {
  for (;;) await step().catch(error => { complain(error.message); return pause(3000); });
}
const same = (one, two) => JSON.stringify(one) === JSON.stringify(two);
const flip = (set, value) => (set.has(value) ? set.delete(value) : set.add(value));

// -- the box: changes are kept as values by key, as added blocks and as removed blocks, and sent as settings KEY=VALUE

const NONE = () => ({ values: {}, added: {}, removed: {} }), MINE = "my ";
let box, changes = NONE();
const place = dragged => ({ game: at("game").value, variant: at("variant").value || "base", settings: settings(dragged) });

function literal(value) {
  if (typeof value === "string" && /^[a-z][a-z0-9_-]*$/.test(value) && !["true", "false", "inf", "nan"].includes(value)) return value;
  return JSON.stringify(value);
}
const inline = block => `{${Object.entries(block).map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(", ")}}`;

// `dragged`: values by key that are not yet among the changes.
function settings(dragged = {}) {
  const values = { ...changes.values, ...dragged };
  const found = Object.entries(values).map(([key, value]) => `${key}=${literal(value)}`);
  for (const [key, ids] of Object.entries(changes.removed)) if (ids.length) found.push(`${key}=${JSON.stringify(ids)}`);
  for (const [key, blocks] of Object.entries(changes.added)) if (blocks.length) found.push(`${key}=[${blocks.map(inline).join(", ")}]`);
  return found;
}

const remember = () => localStorage.setItem(storage, JSON.stringify({ game: at("game").value, variant: at("variant").value, changes }));

async function change(act) {
  const before = structuredClone(changes);
  act(changes);
  try {
    await open();
  } catch (error) {
    changes = before;
    show();
    throw error;
  }
}

let opened = 0;
async function open(variant) {
  const asked = place(), mine = ++opened;
  if (variant !== undefined) asked.variant = variant;
  const found = await send("box", asked);
  await strip.held;  // a slider is not taken from the hand
  if (mine !== opened) return;  // a newer change is on its way
  box = found;
  complain("");
  const list = Object.entries(box.variants).map(([name, about]) => el("option", { value: name, title: about }, name === "base" ? about : name));
  const own = Object.keys(box.own).map(name => el("option", { value: `${MINE}${name}` }, name));
  at("variant").replaceChildren(...list, ...(own.length ? [el("optgroup", { label: "my own" }, ...own)] : []));
  at("variant").value = box.variant;
  remember();
  show();
}

function show() {
  const kept = new Set([...document.querySelectorAll("#groups details[open]")].map(each => each.dataset.name));
  const focused = document.activeElement?.id;
  at("groups").replaceChildren(...box.groups.map(each => group(each, kept)));
  const listed = changed();
  at("changes").replaceChildren(...(listed.length ? [
    el("strong", {}, listed.length === 1 ? "1 change" : `${listed.length} changes`), el("ul", {}, ...listed),
    ...box.warnings.map(words => el("p", { class: "bad" }, words)),
    el("button", { type: "button", onclick: tried(() => change(all => Object.assign(all, NONE()))) }, "Undo all"), keeper(),
  ] : []));
  if (at("board").open) showBoard();
  if (focused) at(focused)?.focus();
  strip.changed();
  strip.drawCurve();
  showSaved();
  showForm();
  showAgents();
}

// The table at the beginning of a game with the box as it is now.
function showBoard() {
  const address = `board?box=${encodeURIComponent(JSON.stringify(place()))}`, before = at("board").querySelector("iframe");
  if (before?.getAttribute("src") === address) return;
  const drawing = el("p", { class: "muted" }, "Drawing the table …");
  const frame = el("iframe", { src: address, sandbox: "allow-scripts", title: "The table at the beginning of a game", onload: () => drawing.remove() });
  at("board").replaceChildren(at("board").firstElementChild, drawing, frame);
}

// Keeps the changes as a variant of the user's own, or forgets the one that they are.
function keeper() {
  const mine = Object.entries(box.own).find(([, each]) => each.variant === box.variant && same(each.settings, box.settings))?.[0];
  const keep = (name, given) => send("keep", { ...place(), name, ...given }).then(() => open());
  if (mine) return el("button", { type: "button", onclick: tried(() => keep(mine, { settings: [] })) }, `Forget my variant ${mine}`);
  return el("button", { type: "button", onclick: tried(() => {
    const name = prompt("Name of the variant:", "my-variant");
    return name ? keep(name, {}).then(noteBox) : null;
  }) }, "Keep as a variant");
}

function changed() {
  const undo = (words, act) => el("li", {}, el("span", {}, words), el("button", { type: "button", "aria-label": `Undo: ${words}`, onclick: tried(() => change(act)) }, "undo"));
  const found = Object.entries(changes.values).map(([key, value]) => undo(said(key) ?? `${key} = ${literal(value)}`, all => { delete all.values[key]; }));
  for (const [key, ids] of Object.entries(changes.removed)) {
    found.push(...ids.map(id => undo(`${key.split(".")[0]}: ${id} removed`, all => { all.removed[key] = all.removed[key].filter(each => each !== id); })));
  }
  for (const [key, blocks] of Object.entries(changes.added)) {
    found.push(...blocks.map(block => undo(`${key.split(".")[0]}: ${block.id} added`, all => { all.added[key] = all.added[key].filter(each => each.id !== block.id); })));
  }
  return found;
}

const said = key => box.groups.flatMap(group => group.fields ?? []).find(field => field.key === key)?.says;
const words = name => name.replaceAll("_", " ");
function group(each, open) {
  const touched = settings().filter(text => text.startsWith(`${each.name}.`)).length;
  const kinds = each.source ? [each.source] : [...new Set((each.rows || []).map(row => row.source).filter(Boolean))].sort();
  const sources = kinds.map(kind => el("span", { class: `source ${kind}`, title: each.note || null }, `${each.source ? "" : "partly "}${kind === "page" ? "web page" : kind}`));
  const body = each.fields ? each.fields.map(field) : [blocks(each)];
  const note = each.note ? el("p", { class: "muted" }, each.note) : null;
  return el("details", { open: open.has(each.name), "data-name": each.name },
    el("summary", {}, each.label, ...sources, touched ? el("span", { class: "changed" }, ` ${touched} changed `) : null), note, ...body);
}

const list = text => JSON.parse(text.trim().startsWith("[") ? text : `[${text}]`);
const emptied = target => target.value.trim() === "" && !target.validity.badInput;

// An emptied field goes back to `before`, its value in the published box or in the variant, and says so.
function input(kind, value, before, id, label, given, choices, onchange) {
  const back = () => onchange(before).then(() =>
    complain(`${label}: back to ${JSON.stringify(before)}, the value of ${box.variant === "base" ? "the published game" : box.variant}`));
  if (kind === "fixed") return el("span", {}, JSON.stringify(value));
  if (kind === "switch") return el("input", { type: "checkbox", id, checked: value, "aria-label": label, onchange: event => onchange(event.target.checked) });
  if (kind === "choice") {
    const made = el("select", { id, "aria-label": label, onchange: event => onchange(choices[event.target.selectedIndex]) },
      ...choices.map(each => el("option", {}, each === "" ? "none" : String(each))));
    made.selectedIndex = choices.indexOf(value);
    return made;
  }
  if (kind === "number") {
    return el("input", { type: "number", id, value: String(value), step: given.step ?? 1, min: given.low, max: given.high, "aria-label": label,
      onchange: event => emptied(event.target) ? back() : onchange(Number(event.target.value)) });
  }
  const plain = typeof value === "string";
  return el("input", { type: "text", class: "long", id, value: plain ? value : JSON.stringify(value), "aria-label": label, onchange: event => {
    if (plain) return onchange(event.target.value);
    if (emptied(event.target)) return back();
    try { onchange(list(event.target.value)); } catch { complain(`${label}: expected a list such as ${JSON.stringify(value)}`); event.target.value = JSON.stringify(value); }
  } });
}

function field(each) {
  const id = `field-${each.key}`, label = each.label, low = each.low ?? null, high = each.high ?? null;
  const isSame = same(each.value, each.before), range = low === null ? null : high === null ? `at least ${low}` : `${low} to ${high}`;
  const set = value => tried(() => change(all => {
    if (same(value, each.before)) delete all.values[each.key];
    else all.values[each.key] = value;
  }))();
  return el("div", { class: isSame ? "field" : "field changed" },
    el("label", { for: id, title: [each.key, range].filter(Boolean).join(", ") }, label), input(each.kind, each.value, each.before, id, label, each, each.choices, set),
    each.kind === "number" ? strip.slider(each.key, each.value, each.slide, id, label, each.before, set) : null,
    ...each.places.map(place => {
      const number = Number(place.key.split(".").at(-1)), whole = value => each.value.with(number, value);
      return strip.slider(place.key, each.value[number], place.slide, id, place.label, each.before?.[number] ?? each.value[number], set, each.key, whole);
    }),
    isSame && each.kind !== "switch" && each.kind !== "choice" ? null : el("small", {}, each.says));
}

function blocks(each) {
  const { columns, rows } = each, add = `${each.name}.add`, remove = `${each.name}.remove`;
  const cell = (row, column, number) => {
    const key = `${each.name}.${row.id}.${column.name}`, value = row.values[number], label = `${row.id} ${words(column.name)}`;
    const set = given => tried(() => change(all => {
      if (row.state === "added") all.added[add].find(block => block.id === row.id)[column.name] = given;
      else if (same(given, row.before[number])) delete all.values[key];
      else all.values[key] = given;
    }))();
    if (row.state === "removed" || value === null) return el("td", {}, value === null ? "" : String(value));
    const isSame = row.state === "added" || same(value, row.before[number]);
    return el("td", { class: isSame ? null : "changed", title: isSame ? null : `before: ${row.before[number]}` }, input(column.kind, value, row.before[number] ?? value, `field-${key}`, label, column, column.choices, set),
      row.state === "" && column.kind === "number" ? strip.slider(key, value, row.slides[number], `field-${key}`, label, row.before[number], set) : null);
  };
  const line = row => el("tr", { class: row.state || null },
    el("th", { scope: "row", title: row.note || null }, row.id, row.source === "reconstructed" ? el("span", { class: "muted", title: "reconstructed" }, " *") : null),
    ...columns.map((column, number) => cell(row, column, number)),
    el("td", {}, el("button", { type: "button", title: row.state === "removed" ? null : "remove", "aria-label": `${row.state === "removed" ? "Put back" : "Remove"} ${row.id}`, onclick: tried(() => change(all => {
      if (row.state === "added") all.added[add] = all.added[add].filter(block => block.id !== row.id);
      else if (row.state === "removed") all.removed[remove] = all.removed[remove].filter(id => id !== row.id);
      else {
        all.removed[remove] = [...all.removed[remove] ?? [], row.id];
        for (const key of Object.keys(all.values)) if (key.startsWith(`${each.name}.${row.id}.`)) delete all.values[key];
      }
    })) }, row.state === "removed" ? "put back" : "\u00d7")));
  const another = () => change(all => {
    const taken = new Set(rows.map(row => row.id)), model = rows.findLast(row => row.state !== "removed") ?? rows[0];
    let number = 1;
    while (taken.has(`new-${number}`)) number++;
    const block = { id: `new-${number}` };
    columns.forEach((column, place) => { if (model.values[place] !== null) block[column.name] = model.values[place]; });
    all.added[add] = [...all.added[add] ?? [], block];
  });
  return el("div", { class: "blocks", tabindex: "0", role: "region", "aria-label": words(each.name) }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "id"), ...columns.map(column => el("th", { scope: "col" }, words(column.name))), el("td", {}))),
    el("tbody", {}, ...rows.map(line))),
  rows.some(row => row.source === "reconstructed") ? el("p", { class: "muted" }, "* reconstructed: no source gives it") : null,
  el("button", { type: "button", onclick: tried(another) }, "Add one"));
}

const strip = window.makeStrip({ at, el, send, tried, pause, same, flip, place, box: () => box });

// -- questions

let chosen = "", filled = {};
const PRECISIONS = { quick: "a quick look", usual: "the usual", sure: "until it is sure" };

function showAgents() {
  at("agents").replaceChildren(...box.agents.flatMap(([name, agent, words]) => [el("dt", {}, name, " ", el("code", {}, agent)), el("dd", {}, words)]));
}

function showQuestions() {
  const buttons = data.questions.map(each => el("button", { type: "button", "aria-pressed": String(each.name === chosen), onclick: () => choose(each.name) }, each.asks));
  buttons.push(el("button", { type: "button", "aria-pressed": String(chosen === "play"), onclick: () => choose("play") }, "Play it myself"));
  at("questions").replaceChildren(...buttons);
}

function choose(name) {
  chosen = name;
  showQuestions();
  showForm();
  at("form").querySelector("input, select, textarea, button")?.focus({ preventScroll: true });
  at("form").scrollIntoView({ block: "nearest" });
}

function players(given) {
  const counts = box.players.map(String), [low, high] = [box.players[0], box.players.at(-1)];
  const options = [...counts, ...(given && low < high ? [`${low}-${high}`] : [])];
  const made = el("select", {}, ...options.map(each => el("option", { value: each }, each.includes("-") ? `${each.replace("-", " to ")}` : each)));
  made.value = strip.players.length === 1 ? strip.players[0] : given && low < high ? options.at(-1) : options[0];
  return made;
}

function sheets() {
  const made = el("textarea", { spellcheck: false });
  send("example", place()).then(found => { made.placeholder = found.sheets; }, () => {});  // a form works without its example
  return made;
}

function control(each) {
  if (each.name === "players") return players(true);
  if (each.name === "file") return sheets();
  if (each.type === "bool") return el("input", { type: "checkbox" });
  if (each.type !== "str") return el("input", { type: "number", step: "any", placeholder: String(each.default ?? "") });
  const lists = { agents: "agents", rows: "columns", columns: "columns" };
  const defaults = each.name === "agents" && each.default !== "" ? data.questions.find(({ name }) => name === chosen).plays || copies() : String(each.default ?? "");
  return el("input", { type: "text", list: lists[each.name] ? `list-${lists[each.name]}` : null, placeholder: defaults, spellcheck: false });
}
const copies = () => box.agents.find(([, agent]) => agent === box.usual)?.[3] ?? box.usual;

function chips(each, target) {
  const write = text => {
    target.value = text;
    target.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const fill = (text, adds) => () => {
    const known = target.value.trim(), gap = each.name === "agents" ? "," : " ";
    write(adds && known ? `${known}${gap}${text}` : text);
  };
  let found = [];
  const more = [], kindOf = name => name.split(":")[0];
  if (each.name === "agents") found = box.agents.map(([name, agent]) => [name, agent, chosen === "tournament" || chosen === "luck"]);
  if (each.name === "things") {
    const kinds = [...new Set(box.things.map(([name]) => kindOf(name)))];
    found = kinds.map(kind => [`all: ${words(kind)}`, `${kind}:*`, true]);
    const made = el("select", { "aria-label": "Thing to do without", onchange: () => { fill(made.value, true)(); made.value = ""; } }, el("option", { value: "" }, "choose a thing \u2026"),
      ...kinds.map(kind => el("optgroup", { label: words(kind) }, ...box.things.filter(([name]) => kindOf(name) === kind).map(([name, noun]) => el("option", { value: name }, noun)))));
    made.options[0].disabled = true;
    more.push(made);
  }
  if (each.name === "values") {
    const made = el("select", { "aria-label": "Number to try", onchange: tried(async () => write((await send("tries", { ...place(), key: made.value })).text)) }, el("option", { value: "" }, "choose a number \u2026"), ...box.sweeps.map(([key, label]) => el("option", { value: key }, label)));
    made.value = box.sweeps.map(([key]) => key).find(key => key === target.value.split("=")[0].trim()) ?? "";
    made.options[0].disabled = true;
    return made;
  }
  return found.length ? el("span", { class: "chips" }, ...more, ...found.map(([label, text, adds]) => el("button", { type: "button", title: text, onclick: fill(text, adds) }, label))) : null;
}

// Targets by choice: rows that are written into the text after what was written there by hand.
const RELATIONS = { "<=": "at most", ">=": "at least", "=": "about" };
let aims = { text: "", rows: [] };

function aimText({ text, relation, number, tolerance }) {
  const is_about = relation === "=";
  return number === "" || (is_about && !(tolerance > 0)) ? "" : `${text} ${relation} ${number}${is_about ? ` +- ${tolerance}` : ""}`;
}
const aimsText = () => [aims.text.trim(), ...aims.rows.map(aimText)].filter(Boolean).join("; ");

function aimRows(target, keep) {
  if (filled["tune.targets"] === undefined) aims = { text: "", rows: [{ ...box.aims[0] }] };
  else if (filled["tune.targets"] !== aimsText()) aims = { text: filled["tune.targets"], rows: [] };
  const list = el("div", {});
  const write = () => { target.value = aimsText(); keep(); preview(); };
  const line = aim => {
    const again = () => { write(); draw(); };
    const figure = el("select", { "aria-label": "Figure", onchange: event => { Object.assign(aim, box.aims[event.target.selectedIndex], aim.chosen); again(); } },
      ...box.aims.map(each => el("option", {}, each.label)));
    figure.selectedIndex = box.aims.findIndex(each => each.text === aim.text);
    const relation = el("select", { "aria-label": "Relation", onchange: event => { aim.chosen = { relation: event.target.value }; Object.assign(aim, aim.chosen); again(); } },
      ...Object.entries(RELATIONS).map(([value, name]) => el("option", { value }, name)));
    relation.value = aim.relation;
    const number = (key, label) => el("input", { type: "number", step: "any", value: String(aim[key]), "aria-label": label, oninput: event => { aim[key] = event.target.value; write(); } });
    return el("div", { class: "aim" }, figure, relation, number("number", "Number"), ...(aim.relation === "=" ? [" \u00b1 ", number("tolerance", "Tolerance")] : []), el("span", { class: "muted" }, aim.unit),
      el("button", { type: "button", "aria-label": `Remove the target: ${aim.label}`, onclick: () => { aims.rows = aims.rows.filter(each => each !== aim); again(); } }, "\u00d7"));
  };
  const draw = () => list.replaceChildren(...aims.rows.map(line));
  draw();
  target.value = aimsText();
  target.addEventListener("input", () => { aims = { text: target.value, rows: [] }; draw(); });
  return el("div", { class: "aims", role: "group", "aria-label": "Targets by choice" }, list,
    el("button", { type: "button", onclick: () => { aims.rows.push({ ...box.aims[Math.min(aims.rows.length, box.aims.length - 1)] }); write(); draw(); } }, "Add a target"));
}

// Numbers by ticking: patterns of keys, none while all are ticked. Text written by hand stands in their place.
let unticked = new Set();

function keyTicks(target, keep) {
  const numbers = box.tunable.flatMap(group => group.numbers.map(([pattern]) => pattern));
  const written = () => numbers.some(each => unticked.has(each)) ? numbers.filter(each => !unticked.has(each)).join(", ") : "";
  const shown = el("div", {}), by_hand = () => target.value.trim() !== written();
  const write = () => { target.value = written(); keep(); draw(); preview(); };
  const set = (patterns, ticked) => { for (const each of patterns) ticked ? unticked.delete(each) : unticked.add(each); write(); };
  const tick = (label, patterns) => {
    const made = el("input", { type: "checkbox", onchange: event => set(patterns, event.target.checked) }), left = patterns.filter(each => !unticked.has(each)).length;
    made.checked = left === patterns.length;
    made.indeterminate = 0 < left && left < patterns.length;
    return el("label", {}, made, label);
  };
  const group = (each, opened) => el("div", { class: "group" }, tick(each.label, each.numbers.map(([pattern]) => pattern)),
    el("details", { open: opened.has(each.label), "data-name": each.label }, el("summary", { class: "muted" }, each.numbers.length === 1 ? "1 number" : `${each.numbers.length} numbers`),
      ...each.numbers.map(([pattern, label]) => tick(label, [pattern]))));
  function draw() {
    const opened = new Set([...shown.querySelectorAll("details[open]")].map(each => each.dataset.name));
    const left = numbers.filter(each => !unticked.has(each)).length;
    target.setCustomValidity(left || by_hand() ? "" : "Tick at least one number.");
    shown.replaceChildren(...(by_hand() ? [el("p", { class: "muted" }, "Written by hand: empty the text to tick numbers.")] : [
      el("p", { class: left ? "muted" : "bad" }, left === numbers.length ? "All of these may change." : left ? `${left} of ${numbers.length} may change.` : "Tick at least one number."),
      ...box.tunable.map(each => group(each, opened))]));
  }
  target.addEventListener("input", draw);
  draw();
  return el("details", { class: "ticks", open: filled["tune.ticks"] ?? false, ontoggle: event => { if (event.target.classList.contains("ticks")) filled["tune.ticks"] = event.target.open; } }, el("summary", {}, "Tick the numbers"), shown);
}

function row(each, label) {
  const made = control(each), key = `${chosen}.${each.name}`, isSwitch = each.type === "bool";
  made.name = each.name;
  if (isSwitch) made.checked = filled[key] ?? false;
  else if (filled[key] !== undefined) made.value = filled[key];
  else if (each.name === "agents" && strip.agents) made.value = strip.agents;
  const keep = () => { filled[key] = isSwitch ? made.checked : made.value; };
  made.addEventListener("change", keep);
  made.addEventListener("input", keep);
  const builder = chosen === "tune" ? { targets: aimRows, keys: keyTicks }[each.name] : undefined;
  return el("div", { class: builder ? "wide" : null }, el("label", { title: each.words }, label, made), builder ? builder(made, keep) : chips(each, made));
}

function showForm() {
  const form = at("form"), question = data.questions.find(each => each.name === chosen);
  form.hidden = !chosen;
  if (!chosen || !box) return;
  const shown = [];
  if (chosen === "play") {
    shown.push(el("h3", {}, "Play it myself"), el("p", {}, "A table in a new window, with the box as it is now, against agents."),
      el("div", { class: "line" }, el("label", {}, "Players", Object.assign(players(false), { name: "players" })), el("div", {}, el("label", {}, "Against", el("input", { type: "text", name: "agents", placeholder: box.opponent, list: "list-agents" })))),
      el("button", { class: "go" }, "Open a table"), el("p", { id: "table" }));
  } else {
    const blocked = question.needs_change && !settings().length;
    const front = question.fields.filter(each => each.name in question.front), more = question.fields.filter(each => !(each.name in question.front));
    const ways = Object.keys(question.precisions).map(way => el("label", {}, el("input", { type: "radio", name: "precision", value: way, checked: way === (filled[`${chosen}.precision`] ?? "quick"), onchange: () => { filled[`${chosen}.precision`] = way; preview(); } }),
      way === "sure" ? "until it is sure to one point of games won" : PRECISIONS[way]));
    const undo = el("button", { type: "button", onclick: tried(() => change(all => Object.assign(all, NONE()))) }, "Put all back"), count = settings().length;
    shown.push(el("h3", {}, question.asks), el("p", {}, question.about),
      count && !question.needs_change ? el("p", { class: "asked-of" }, `Asked of your box, with ${count === 1 ? "1 change" : `${count} changes`}. `, undo) : null,
      blocked ? el("p", { class: "bad" }, "Change something in the box first: this question compares it with the box before.") : null,
      el("div", { class: "line" }, ...front.map(each => row(each, question.front[each.name]))), el("fieldset", {}, el("legend", {}, "How sure"), ...ways),
      el("details", { open: filled[`${chosen}.more`] ?? false, ontoggle: event => { filled[`${chosen}.more`] = event.target.open; } }, el("summary", {}, "More"), el("div", { class: "line" }, ...more.map(each => row(each, words(each.name))))),
      el("div", { class: "command" }, el("code", { id: "command" })), el("button", { class: "go", disabled: blocked }, "Play it"));
  }
  form.replaceChildren(...shown.filter(Boolean), ...lists());
  preview();
}

const lists = () => [
  el("datalist", { id: "list-agents" }, ...box.agents.map(([name, agent]) => el("option", { value: agent }, name))),
  el("datalist", { id: "list-columns" }, ...box.columns.map(name => el("option", { value: name }))),
];

function asked() {
  const values = {}, form = at("form");
  for (const each of form.querySelectorAll("input[name], select[name], textarea[name]")) {
    if (each.type === "radio") continue;
    if (each.type === "checkbox") values[each.name] = each.checked;
    else if (each.value.trim() !== "") values[each.name] = each.tagName === "TEXTAREA" ? each.value : each.value.trim();
  }
  const precision = form.querySelector("input[name=precision]:checked")?.value ?? "usual";
  return { ...place(), question: chosen, values, precision, seen: seenOf(values) };
}

// Deals that the strip has played of the box and the players of a question about seats; of all strengths, of those shown.
function seenOf(values) {
  const { seen, usual } = data.questions.find(each => each.name === chosen) ?? {};
  if (!seen) return 0;
  const agents = values.agents ?? usual.agents;
  return Math.min(seen, strip.seen(values.players ?? "", agents === "tiers" ? null : agents ?? ""));
}

let previewed = 0;
async function preview() {
  const shown = at("command"), mine = ++previewed;
  if (!shown) return;
  try {
    const found = await send("command", asked());
    if (mine === previewed) shown.textContent = found.command;
  } catch (error) {
    if (mine === previewed) shown.textContent = error.message;
  }
}

at("form").addEventListener("input", preview);
at("form").addEventListener("submit", event => {
  event.preventDefault();
  tried(async () => {
    if (chosen === "play") {
      const { address } = await send("play", { ...place(), values: asked().values });
      window.open(address, "_blank", "noopener");
      at("table").replaceChildren(el("a", { href: address, target: "_blank", rel: "noopener" }, "Open the table"));
    } else {
      await send("ask", asked());
      complain("");
      noteBox();
      chosen = "";
      showQuestions();
      showForm();
      at("answers").scrollIntoView({ block: "start" });
    }
  })();
});

// -- answers

const pictures = new Map(), open_pages = new Set(), beside = new Set();
let answers = [];

function duration(seconds) {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}

function status(each) {
  if (each.status === "waits") return "waits for the one before";
  if (each.status === "stopped") return each.verdict.length ? "stopped; this is what is known" : "stopped";
  if (each.status === "failed") return "failed";
  if (each.status === "done") return `${each.games.toLocaleString("en")} games${each.seconds ? ` in ${duration(each.seconds)}` : ""}`;
  const [phase, done, total] = each.phase;
  const left = phase === "games" && secondsLeft(each, done, total);
  return `${phase}${phase === "games" && total ? ` ${done.toLocaleString("en")} of ${total.toLocaleString("en")}` : ""}${left ? `, about ${duration(left)} left` : ""}`;
}

// Seconds that the games of a running answer still take, by their pace since their number was set; 0 before that pace is known.
const paces = new Map();  // number of an answer -> its games in all, and those played and the seconds when they were set
function secondsLeft(each, done, total) {
  if (paces.get(each.number)?.total !== total) paces.set(each.number, { total, done, seconds: each.seconds });
  const pace = paces.get(each.number), played = done - pace.done, seconds = each.seconds - pace.seconds;
  return played > 0 && (seconds > 20 || (seconds > 3 && played > 0.05 * total)) ? (total - done) * seconds / played : 0;
}

function article(each) {
  const deed = (path, more = {}) => tried(() => send(path, { answer: each.number, ...more }));
  const button = (label, onclick) => el("button", { type: "button", onclick }, label);
  const address = `answer/${each.number}/page`, isDone = each.status === "done", tools = [], [, done, total] = each.phase;
  const asks = data.questions.find(question => question.name === each.question)?.asks ?? each.question;
  if (each.status === "plays" || each.status === "waits") tools.push(button("Stop, and keep what is known", deed("stop")));
  if (each.status === "stopped" || each.status === "failed") tools.push(button(each.status === "failed" ? "Try again" : "Go on", deed("again")));
  if (isDone) {
    if (each.told.length) tools.push(button("Put this box in the form", tried(() => putInForm(each))));
    tools.push(button(open_pages.has(each.number) ? "Close the page" : "The whole page", () => { flip(open_pages, each.number); draw(); }));
    tools.push(el("a", { href: address, target: "_blank", rel: "noopener" }, "in a window"));
    tools.push(button("Save", tried(() => {
      const name = prompt("Name of the folder under results:", `${each.game.replaceAll("_", "-")}-${each.number}`);
      return name ? send("save", { answer: each.number, name }) : null;
    })));
    tools.push(el("a", { href: `answer/${each.number}/study`, download: "" }, "study as TOML"));
  }
  tools.push(button("Ask again", tried(() => reopen(each))));
  if (each.status !== "plays") tools.push(button("Forget", deed("forget")));
  if (isDone) tools.push(el("label", {}, el("input", { type: "checkbox", checked: beside.has(each.number), onchange: () => { flip(beside, each.number); draw(); } }), " side by side"));
  const running = each.status === "plays", picture = pictures.get(each.number);
  const about = [data.games[each.game] ?? each.game, ...(each.variant === "base" ? [] : [each.variant]), ...(each.box ? [each.box] : [])];
  const shown = el("p", { class: "muted" }, about.join(", "));
  return el("article", { class: "answer", "data-number": String(each.number), "aria-label": `${asks} ${each.number}` },
    el("div", { class: "head" }, el("h3", {}, `${each.number}. ${asks}`), el("span", { class: "muted", "data-status": each.status }, status(each))), shown,
    running ? el("progress", total ? { max: total, value: done, "aria-label": "how far it is" } : { "aria-label": "how far it is" }) : null,
    each.error ? el("p", { class: "bad" }, each.error) : null,
    each.verdict.length ? el("p", { class: "verdict" }, each.verdict[0]) : null,
    each.seen > each.games && each.verdict.length ? el("p", { class: "muted" }, `The strip had ${each.seen.toLocaleString("en")} games of this box when this was asked: where they differ, it is surer.`) : null,
    running && each.verdict.length ? el("p", { class: "muted" }, `After ${each.games.toLocaleString("en")} games; it gets surer.`) : null,
    ...each.verdict.slice(1, 4).map(words => el("p", {}, words)), ...each.alarms.map(([words, evidence, isMended]) => el("p", { class: isMended ? "alarm mended" : "alarm", title: evidence }, words)), picture && each.verdict.length ? picture.element : null,
    each.saved ? el("p", { class: "muted" }, `Saved in ${each.saved}.`) : null, el("div", { class: "tools" }, ...tools),
    el("details", {}, el("summary", {}, "The same in a terminal, or in Python"), el("div", { class: "command" }, el("code", {}, each.command)), el("pre", { class: "command" }, each.python)),
    open_pages.has(each.number) && isDone ? el("iframe", { src: address, sandbox: "allow-scripts allow-downloads allow-popups", title: `The page of answer ${each.number}` }) : null);
}

// Begins with a variant and its changed keys.
async function adopt(variant, settings) {
  const found = await send("box", { game: at("game").value, variant, settings });
  changes = NONE();
  for (const group of found.groups) {
    for (const field of group.fields ?? []) if (!same(field.value, field.before)) changes.values[field.key] = field.value;
    for (const row of group.rows ?? []) {
      const named = Object.fromEntries(group.columns.map((column, number) => [column.name, row.values[number]]).filter(([, value]) => value !== null));
      const add = `${group.name}.add`, remove = `${group.name}.remove`;
      if (row.state === "added") changes.added[add] = [...changes.added[add] ?? [], { id: row.id, ...named }];
      else if (row.state === "removed") changes.removed[remove] = [...changes.removed[remove] ?? [], row.id];
      else group.columns.forEach((column, number) => { if (!same(row.values[number], row.before[number])) changes.values[`${group.name}.${row.id}.${column.name}`] = row.values[number]; });
    }
  }
  await open(variant);
}

// Begins with the box that the verdict of an answer names: the box it was asked about, with the changes it tells.
async function putInForm(each) {
  const key = text => text.split("=")[0], told = new Set(each.told.map(key));
  at("game").value = each.game;
  await adopt(each.variant, [...each.settings.filter(text => !told.has(key(text))), ...each.told]);
  scrollTo({ top: 0 });
}

async function reopen(each) {
  at("game").value = each.game;
  for (const [name, value] of Object.entries(each.values)) filled[`${each.question}.${name}`] = value;
  filled[`${each.question}.precision`] = each.precision;
  await adopt(each.variant, each.settings);
  choose(each.question);
}

// Two answers become one page of what differs; answers without figures in common are shown beside each other.
async function layBeside(numbers) {
  const names = numbers.join(" and "), head = words => el("p", {}, words);
  const frame = (src, title) => el("iframe", { src, sandbox: "allow-scripts allow-downloads", title });
  at("beside").replaceChildren(head(`Answers ${names} side by side \u2026`));
  try {
    await send("beside", { answer: numbers[0], other: numbers[1] });
    at("beside").replaceChildren(head(`Answers ${names} side by side`), frame(`beside?${numbers.join("-")}`, `What differs between the answers ${names}`));
  } catch (error) {
    at("beside").replaceChildren(head(error.message), ...numbers.map(number => frame(`answer/${number}/page`, `The page of answer ${number}`)));
  }
}

// Answers that changed are drawn again; the others stay, with their open pages.
const drawn = new Map();
function draw() {
  at("none").hidden = answers.length > 0;
  const order = answers.map(each => {
    const key = JSON.stringify([each, open_pages.has(each.number), beside.has(each.number), pictures.get(each.number)?.games]);
    const before = drawn.get(each.number);
    if (before?.key === key) return before.element;
    const element = article(each);
    element.querySelector("details").open = before?.element.querySelector("details").open ?? false;
    const frame = before?.element.querySelector("iframe");
    if (frame && element.querySelector("iframe")) element.querySelector("iframe").replaceWith(frame);
    drawn.set(each.number, { key, element });
    return element;
  });
  const shelf = at("shelf");
  for (const gone of [...shelf.children].filter(each => !order.includes(each))) gone.remove();
  order.forEach((each, number) => { if (shelf.children[number] !== each) shelf.insertBefore(each, shelf.children[number] ?? null); });
  const two = answers.filter(each => beside.has(each.number) && each.status === "done").slice(0, 2), key = two.map(each => each.number).join();
  at("beside").hidden = two.length < 2;
  if (two.length < 2) at("beside").replaceChildren();
  const shown = at("beside").dataset.key;
  at("beside").dataset.key = two.length < 2 ? "" : key;
  if (two.length === 2 && shown !== key) {
    layBeside(two.map(each => each.number));
    at("beside").scrollIntoView({ block: "start" });
  }
}

async function fetchPictures() {
  for (const each of answers) {
    if (!each.picture || pictures.get(each.number)?.games === each.games) continue;
    const { title, legend } = each.picture, { picture } = await send(`answer/${each.number}/picture`);
    const element = el("figure", { class: "picture" }, el("figcaption", { class: "muted" }, title),
      legend.length ? el("ul", { class: "legend" }, ...legend.map(([name, ink, shape]) => { const dot = el("i", { class: shape }); dot.style.background = `var(--${ink})`; return el("li", {}, dot, name); })) : null);
    element.insertAdjacentHTML("beforeend", picture.replace(/<style>.*?<\/style>/g, ""));
    pictures.set(each.number, { games: each.games, element });
  }
}

// -- the history

let historyShown = "";

// Adds the box to the history, unless nothing is known of it yet.
function noteBox() {
  if (at("live-tables").childElementCount) send("remember", {}).catch(() => {});
}

const back = tried(async row => {
  at("game").value = row.game;
  await adopt(row.variant, row.settings);
});
at("keep-box").addEventListener("click", tried(async () => {
  await send("remember", place());
  at("history").querySelector("details").open = true;
}));
at("make-fair").addEventListener("click", () => choose("tune"));
at("sheet").addEventListener("change", tried(async event => {
  const [file] = event.target.files;
  const { settings: given } = await send("sheet", { game: at("game").value, name: await file.text() });
  event.target.value = "";
  await adopt("base", given);
}));

// The links that save the box as it is now, and the command that plays it.
function showSaved() {
  const query = `box=${encodeURIComponent(JSON.stringify(place()))}`, { game, variant, settings: given } = place();
  at("as-sheet").setAttribute("href", `sheet?${query}`);
  at("as-toml").setAttribute("href", `toml?${query}`);
  send("command", { game, variant, settings: given, question: "balance", values: { players: strip.players.join(","), agents: strip.agents } })
    .then(found => { at("box-command").textContent = found.command; }, () => {});
}

let version = "";
async function follow() {
  const found = await send(`state?have=${version}`);
  version = String(found.version);
  answers = found.answers;
  const known = JSON.stringify(found.history);
  if (known !== historyShown) strip.drawHistory(found.history, back);
  historyShown = known;
  await fetchPictures();
  draw();
  await pause(200);
}

// -- begin

const kept = JSON.parse(localStorage.getItem(storage) ?? "null");
at("game").replaceChildren(...Object.entries(data.games).map(([name, title]) => el("option", { value: name }, title)));
at("game").value = data.game;
at("game").addEventListener("change", tried(async () => { changes = NONE(); filled = {}; unticked = new Set(); await open("base"); }));
at("variant").addEventListener("change", tried(async () => {
  const { value } = at("variant"), mine = value.startsWith(MINE) ? box.own[value.slice(MINE.length)] : null;
  await adopt(mine?.variant ?? value, mine?.settings ?? []);
}));
at("board").addEventListener("toggle", () => { if (at("board").open) showBoard(); });
showQuestions();
tried(async () => {
  if (kept?.game === data.game) changes = kept.changes;
  try {
    await open(kept?.game === data.game ? kept.variant : "base");
  } catch {  // what was kept no longer fits the game
    changes = NONE();
    await open("base");
  }
  forever(follow);
  forever(strip.follow);
})();
})();
