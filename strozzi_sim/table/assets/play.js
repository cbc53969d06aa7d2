// A player at the table: the question and its choices, hint, undo, other lines of play, the end. The game itself is on the server.
let version = data.version, thinking = data.thinking, fault = data.fault, lines = data.lines, canUndo = data.can_undo, result = data.result;
let busy = false, warned = null, polling = 0;
person.ask = data.ask;
const quick = new URLSearchParams(location.search).has("quick");  // no pauses between the agents' moves

const inner = c => `<b>${esc(c.label)}</b>${c.note ? `<small>${esc(c.note)}</small>` : ""}`;
const isWaiting = () => thinking !== null || (views.at(-1).over && (!result || result.judging));
const note = words => { $("note").textContent = words; };

person.asked = () => {
  const asked = atEnd() ? person.ask : null, box = $("choices");
  $("hint").disabled = !asked || busy;
  $("undo").disabled = !canUndo || busy || thinking !== null;
  html($("others"), lines.map(l => `<li><button type="button" data-line="${l.number}"${busy || thinking !== null ? " disabled" : ""}>Back to your other choice: ${esc(l.said)}</button>${
    l.value ? ` <span class="muted">${esc(l.value)}</span>` : ""}</li>`).join(""));
  drawResult();
  if (!asked) {
    $("question").textContent = fault ? "An agent failed" : !atEnd() && !playing ? "You look back" : views[at].over ? "The game is over"
      : thinking !== null ? `${seatName(thinking)} is thinking` : "The agents play";
    html(box, fault ? `<p class="muted">${esc(fault)}</p>` : atEnd() || playing ? "" : `<button type="button" class="go" id="tonow">${views.at(-1).over ? "To the end" : "To your turn"}</button>`);
    if ($("tonow")) $("tonow").onclick = () => go(last());
    return;
  }
  $("question").textContent = asked.question;
  const mine = renderer.mine ? `<div class="mine">${renderer.mine(asked.mine)}</div>` : "";
  if (asked.mine.compose && renderer.compose) { html(box, `${mine}<div class="compose" id="compose"></div>`); renderer.compose($("compose"), asked.mine.compose, composed => act("play", {composed})); return; }
  if (asked.together) askTogether(box, asked, mine);
  else if (asked.range) askRange(box, asked, mine);
  else askOne(box, asked, mine);
};

function askTogether(box, asked, mine) {
  html(box, `${mine}<fieldset><legend class="skip">Choose any</legend>${asked.together.map(c =>
    `<label class="pick"><input type="checkbox" value="${esc(c.name)}"><span>${inner(c)}</span></label>`).join("")}</fieldset><button type="button" class="go" id="keep">Keep these</button>`);
  $("keep").onclick = () => {
    const names = [...box.querySelectorAll("input:checked")].map(i => i.value);
    if (names.length) act("play", {name: names.join(" ")}); else note("Choose at least one.");
  };
}

function askRange(box, asked, mine) {
  const [low, high] = asked.range, start = person.hinted ?? asked.start ?? Math.round((low + high) / 4);
  html(box, `${mine}<div class="amount"><label for="number">${esc(asked.label)}</label><input type="range" id="amount" aria-label="${esc(asked.label)}" min="${low}" max="${high}" value="${start}">`
    + `<input type="number" id="number" min="${low}" max="${high}" value="${start}"></div><button type="button" class="go" id="keep">Name this ${esc(asked.label.toLowerCase())}</button>`);
  $("amount").oninput = () => { $("number").value = $("amount").value; };
  $("number").oninput = () => { $("amount").value = $("number").value; };
  const submit = () => {
    const n = Number($("number").value);
    if (Number.isInteger(n) && n >= low && n <= high) person.choose({name: String(n)}); else note(`A whole number from ${low} to ${high}.`);
  };
  $("keep").onclick = submit;
  $("number").onkeydown = e => { if (e.key === "Enter") submit(); };
}

function askOne(box, asked, mine) {
  const button = (c, k) => `<button type="button" data-k="${k}" class="${c.quiet ? "few" : ""} ${person.hinted === c.name ? "hinted" : ""}">${
    c.quiet ? `<b>${esc(c.label)}</b><small>${esc(c.note)}</small>` : inner(c)}</button>`;
  html(box, mine + asked.choices.map(button).join(""));
  box.querySelectorAll("button[data-k]").forEach(b => { b.onclick = () => person.choose(asked.choices[+b.dataset.k]); });
}

person.choose = choice => {
  const caution = person.ask?.cautions?.[choice.name];
  if (caution && warned !== choice.name) { warned = choice.name; note(`${caution} Choose it again to do it.`); return; }
  act("play", choice.action === undefined || choice.action === null ? {name: choice.name} : {action: choice.action});
};

function drawResult() {
  const box = $("result");
  box.hidden = !(result && atEnd() && views[at].over);
  if (box.hidden) return;
  const keys = Object.keys(result.sources), seats = head.seats;
  const table = keys.length ? `<div class="wide" tabindex="0" role="region" aria-label="Points by source"><table><caption class="skip">Points by source</caption><thead><tr><th scope="col">Seat</th>${
    keys.map(k => `<th scope="col">${esc(capital(k))}</th>`).join("")}<th scope="col">In the end</th></tr></thead><tbody>${
    seats.map((s, k) => `<tr><th scope="row">${badge(k)} ${esc(s.name)}</th>${keys.map(key => `<td>${result.sources[key][k]}</td>`).join("")}<td><b>${views.at(-1).now[k] ?? "?"}</b></td></tr>`).join("")}</tbody></table></div>` : "";
  const costly = result.costly.length ? `<h2>Your costliest decisions</h2><ol>${result.costly.map(c => `<li><button type="button" class="link" data-k="${c.step}">${esc(c.said)}</button></li>`).join("")}</ol>` : "";
  html(box, `<h2>The result</h2>${table}<p>${[...(result.rating || []), ...result.words].map(esc).join(" ")}${result.judging ? " Your decisions are being judged." : ""}</p>${costly}<p class="row"><a href="replay" target="_blank" rel="noopener">Replay with all that was hidden${
    result.rating ? " and the curve" : ""}</a> <a href="record" download="game.jsonl">Save the record</a></p>`);
  box.querySelectorAll("button[data-k]").forEach(b => { b.onclick = () => go(+b.dataset.k); });
}

async function call(path, body) {
  const options = body ? {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)} : {};
  let answer;
  try { answer = await fetch(path, options); } catch { throw new Error("The table does not answer; its terminal may be closed."); }
  const found = await answer.json();
  if (!answer.ok) throw new Error(capital(found.error || answer.statusText) + ".");
  return found;
}

async function act(path, body) {
  if (busy) return;
  const keyed = document.activeElement?.closest?.("#choices, #board, #others");
  busy = true; person.hinted = warned = null;
  note(""); stop();
  try { take(await call(path, {version, have: views.length, ...body})); } catch (e) { note(e.message); } finally {
    busy = false;
    draw();
    if (keyed) $("question").focus({preventScroll: true});
  }
}

async function hint() {
  if (busy || !person.ask) return;
  busy = true; note("Thinking …");
  try {
    const found = await call("hint", {version});
    person.hinted = person.ask.range ? +found.name : found.name;
    note(found.words);
  } catch (e) { note(e.message); } finally { busy = false; draw(); }
}

function take(found) {
  const from = Math.min(found.keep, views.length), looking = !atEnd();
  views.length = told.length = from;
  Object.assign(head, found.head);
  add(found.steps);
  ({version, thinking, fault, lines, can_undo: canUndo, result} = found);
  person.ask = found.ask;
  $("heading").textContent = found.heading;
  document.title = found.heading;
  $("about").textContent = `${head.players} players, seed ${head.seed}, deal ${head.deal}${head.variant === "base" ? "" : `, variant ${head.variant}`}`;
  if (!found.steps.length || found.keep < from) at = Math.min(at, last());
  if (found.steps.length) showNew(from);
  else if (!looking || at > last()) at = last();
  if (isWaiting()) poll();
}

function showNew(from) {
  if (still() || quick || last() - from < 1) { at = last(); return; }
  at = Math.min(from, last());
  clearInterval(playing);
  playing = setInterval(() => { at = Math.min(at + 1, last()); if (atEnd()) stop(); draw(); }, Math.min(650, 3200 / (last() - from + 1)));
}

function poll() {
  clearTimeout(polling);
  polling = setTimeout(async () => {
    if (busy) { poll(); return; }
    try {
      const found = await call(`state?have=${views.length}&version=${version}`);
      if (!busy) { const running = playing; if (found.steps.length || !running) { take(found); draw(); } else { thinking = found.thinking; poll(); } }
    } catch (e) { note(e.message); }
  }, 250);
}

person.at = () => {
  $("undo").onclick = () => act("undo", {});
  $("hint").onclick = hint;
  $("others").onclick = e => { const b = e.target.closest("button"); if (b) act("line", {number: +b.dataset.line}); };
  let asked = false;
  $("new").onclick = () => {
    if (views.at(-1).over || asked) { asked = false; act("new", {}); } else { asked = true; note("Leave this game and begin another? Press New game again."); }
  };
  if (isWaiting()) poll();
};
person.key = e => {
  if (e.key === "h" && !$("hint").disabled) hint();
  else if (e.key === "u" && !$("undo").disabled) act("undo", {});
  else if (/^[1-9]$/.test(e.key) && atEnd() && person.ask?.choices) {
    const choice = person.ask.choices[e.key - 1];
    if (choice) person.choose(choice);
  } else return false;
  return true;
};
