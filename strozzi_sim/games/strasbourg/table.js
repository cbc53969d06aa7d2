// The drawing of Strasbourg: the nine steps, the city (letter and price of a space), the council, bids and stacks.
const STEPS = [["A", "Lords"], ["B"], ["C", "Sale"], ["D"], ["E", "Sale"], ["F"], ["G", "Sale"], ["H", "Chapel"], ["I", "Edifice"]];
const CHAIR = {nobility: "Nobility", church: "Church", merchants: "Merchants"}, GUILD_STEPS = {B: 0, D: 1, F: 2};
const column = c => c > 26 ? column(Math.floor((c - 1) / 26)) + column((c - 1) % 26 + 1) : String.fromCharCode(96 + c);
const letters = head => Object.fromEntries(Object.entries(head.board.letters).map(([letter, guild]) => [guild, letter]));
const tint = (head, guild) => `g-${Math.max(0, head.board.chairs.indexOf(guild) - 2)}`;

function stepsOf(v, head, width, wide) {
  const now = v.plan[Math.max(0, v.round - 1)], letter = letters(head), w = width / 9;
  let out = "";
  STEPS.forEach(([step, what], k) => {
    const guild = step in GUILD_STEPS && now ? now.guilds[GUILD_STEPS[step]] : null, on = v.letter === step;
    const edifice = now ? (wide ? `Edifice ${now.edifice}` : `+${now.edifice}`) : what;
    const words = guild ? (wide ? `${capital(guild)}s` : letter[guild]) : step === "I" ? edifice : what;
    out += rect(k * w, 0, w - 3, 38, `step ${guild ? tint(head, guild) : ""}`, 4) + (on ? rect(k * w, 0, w - 3, 38, "ring", 4) : "")
      + text(k * w + w / 2 - 1, 15, step, on ? "small strong" : "muted", "middle") + text(k * w + w / 2 - 1, 31, words || "", on ? "tiny strong" : "tiny", "middle");
  });
  const later = v.plan.slice(v.round).map(p => `${p.guilds.map(g => letter[g]).join(" ")} +${p.edifice}`);
  return out + text(0, 56, later.length ? `Later rounds: ${later.join(", ")}` : "The last round", "muted");
}

function siteOf(x, y, w, h, key, points) {
  const roof = `M${x + 5} ${y + h * .42}L${x + w / 2 - 1} ${y + 5}L${x + w - 7} ${y + h * .42}Z`;
  return spot(`site:${key}`, rect(x, y, w - 2, h - 2, points ? "edifice" : "empty spot", 3) + (points
    ? tag("path", {d: roof, class: "roof"}) + text(x + w / 2 - 1, y + h - 9, `+${points}`, "mid paper", "middle")
    : text(x + w / 2 - 1, y + h / 2 + 4, "site", "muted", "middle")));
}

function cityOf(v, head, width, y, wide, can) {
  const board = head.board, pad = wide ? 16 : 12, w = Math.floor((width - pad) / board.columns), h = wide ? 50 : 40;
  const built = Object.fromEntries(v.built.map(([c, r, p]) => [`${c},${r}`, p])), who = Object.fromEntries(v.members.map(([c, r, s]) => [`${c},${r}`, s]));
  const near = (c, r) => v.built.reduce((n, [a, b, p]) => n + (Math.abs(a - c) + Math.abs(b - r) === 1 ? p : 0), 0);
  let out = "";
  for (let c = 1; c <= board.columns; c++) out += text(pad + (c - .5) * w, y, column(c), "muted", "middle");
  y += 6;
  for (let r = 1; r <= board.rows; r++) {
    out += text(0, y + (r - .5) * h + 4, r, "muted");
    for (let c = 1; c <= board.columns; c++) {
      const [letter, price] = board.map[r - 1][c - 1], x = pad + (c - 1) * w, top = y + (r - 1) * h, key = `${c},${r}`, seat = who[key];
      if (!(letter in board.letters)) { out += siteOf(x, top, w, h, key, built[key]); continue; }
      const gain = near(c, r);
      out += spot(`space:${key}`, rect(x, top, w - 2, h - 2, `spot ${tint(head, board.letters[letter])}`, 3)
        + text(x + w / 2 - 1, top + 13, `${letter} ${price}`, "tiny", "middle")
        + (gain && seat === undefined ? text(x + w / 2 - 1, top + h - 9, `+${gain}`, "tiny strong", "middle") : "")
        + (seat === undefined ? "" : disc(seat, x + w / 2 - 1, top + h / 2 + (wide ? 4 : 5), wide ? 12 : 10)));
    }
  }
  for (const [c, r] of board.corners) {
    const x = pad + c * w - 1, top = y + r * h - 1, key = `corner:${c},${r}`, chapel = v.chapels.some(s => s[0] === c && s[1] === r), choice = can.has(key);
    out += spot(key, chapel
      ? tag("circle", {cx: x, cy: top, r: 10, class: "chapel"}) + tag("path", {d: `M${x} ${top - 6}v12M${x - 4} ${top - 2}h8`, class: "cross"})
      : tag("circle", {cx: x, cy: top, r: choice ? 9 : 4, class: "free spot"}));
  }
  y += board.rows * h + 18;
  return {svg: out + text(0, y, "A space shows its guild and price; circles are sites for chapels.", "muted"), y};
}

function councilOf(v, head, width, y, wide) {
  const chairs = head.board.chairs, letter = letters(head), per = wide ? chairs.length : 4, w = Math.floor(width / per);
  let out = text(0, y, "Council", "name");
  chairs.forEach((chair, k) => {
    const x = (k % per) * w, top = y + 8 + Math.floor(k / per) * 46, seat = v.council[chair], guild = letter[chair];
    out += spot(`chair:${chair}`, rect(x, top, w - 4, 40, guild ? tint(head, chair) : "panel", 5)
      + text(x + 7, top + 16, guild ? `${guild} ${capital(chair)}` : CHAIR[chair], "tiny strong")
      + (guild ? text(x + 7, top + 32, `good ${head.board.values[chair]}`, "tiny faint") : "")
      + (seat === null ? "" : disc(seat, x + w - 18, top + 27, 9)));
  });
  return {svg: out, y: y + 8 + Math.ceil(chairs.length / per) * 46};
}

function stacksOf(v, seat, x, y, width) {
  let out = "", left = x;
  v.stacks[seat].forEach(stack => {
    const known = Array.isArray(stack), words = known ? stack.join("+") : "", w = known ? Math.max(30, 12 + words.length * 8) : 12 + 6 * stack;
    if (x + w > width) { x = left; y += 34; }
    out += known ? spot(`stack:${words}`, rect(x, y + 1, w, 28, "panel", 5) + text(x + w / 2, y + 20, words, "small strong", "middle"))
      : Array.from({length: stack}, (_, i) => rect(x + i * 6, y + 1, 18, 28, "back", 3)).join("");
    x += w + (known ? 6 : 14);
  });
  return {svg: out, y: y + 36};
}

// Cards are divided by dragging, by clicks (a card, then a stack) or by keys (a card in focus, then the number of a stack).
function composeStacks(box, plan, submit) {
  const stacks = plan.cards.map(card => [card]);
  let held = null;  // [stack, place] of the chosen card
  const sum = stack => stack.reduce((a, b) => a + b, 0);
  const move = (from, place, to, focus) => {
    if (from === to || to >= stacks.length) return;
    const [card] = stacks[from].splice(place, 1);
    stacks[to].push(card);
    stacks[to].sort((a, b) => b - a);
    held = null;
    show();
    if (focus) box.querySelector(`[data-stack="${to}"] [data-place="${stacks[to].indexOf(card)}"]`)?.focus();
  };
  function show() {
    const used = stacks.map((stack, k) => k).filter(k => stacks[k].length), free = stacks.findIndex(stack => !stack.length);
    const rows = free < 0 ? used : [...used, free];
    html(box, plan.fixed.map(stack => `<div class="stack"><span>laid</span>${stack.map(c => `<span class="influence">${c}</span>`).join("")}</div>`).join("")
      + rows.map(k => `<div class="stack" data-stack="${k}" role="group" aria-label="Stack ${k + 1}, ${sum(stacks[k])} influence"><span>${
        stacks[k].length ? `${k + 1}: ${sum(stacks[k])}` : `${k + 1}: new`}</span>${stacks[k].map((card, place) =>
        `<button type="button" data-place="${place}" aria-pressed="${held?.[0] === k && held[1] === place}" aria-label="Card ${card} on stack ${k + 1}">${card}</button>`).join("")}</div>`).join("")
      + `<p class="muted">Drag a card to a stack, or choose a card and then a stack; with a card in focus, the number of a stack moves it.</p>
<p class="row"><button type="button" class="go" id="lay">Lay ${used.length + plan.fixed.length} ${used.length + plan.fixed.length === 1 ? "stack" : "stacks"}</button></p>`);
    box.querySelector("#lay").onclick = () => submit([...plan.fixed, ...stacks.filter(stack => stack.length)]);
  }
  const placeOf = button => [+button.closest("[data-stack]").dataset.stack, +button.dataset.place];
  const stackAt = (x, y) => document.elementFromPoint(x, y)?.closest("[data-stack]");
  let dragged = null, moved = false;
  box.onpointerdown = e => { const button = e.target.closest("[data-place]"); if (button) { dragged = {button, x: e.clientX, y: e.clientY}; moved = false; } };
  box.onpointermove = e => {
    if (!dragged) return;
    moved = moved || Math.hypot(e.clientX - dragged.x, e.clientY - dragged.y) > 8;
    box.querySelectorAll(".target").forEach(row => row.classList.remove("target"));
    if (moved) {
      dragged.button.style.transform = `translate(${e.clientX - dragged.x}px, ${e.clientY - dragged.y}px)`;
      dragged.button.style.pointerEvents = "none";
      stackAt(e.clientX, e.clientY)?.classList.add("target");
    }
  };
  box.onpointerup = e => {
    if (!dragged) return;
    const {button} = dragged, row = moved ? stackAt(e.clientX, e.clientY) : null;
    dragged = null;
    if (!moved) return;
    if (row) move(...placeOf(button), +row.dataset.stack); else show();
  };
  box.onpointercancel = () => { dragged = null; show(); };
  box.onclick = e => {
    if (moved) { moved = false; return; }
    const button = e.target.closest("[data-place]"), row = e.target.closest("[data-stack]");
    if (held && row && +row.dataset.stack !== held[0]) move(...held, +row.dataset.stack);
    else if (button) { held = String(held) === String(placeOf(button)) ? null : placeOf(button); show(); }
  };
  box.onkeydown = e => {
    const button = e.target.closest("[data-place]");
    if (!button || !/^[1-9]$/.test(e.key)) return;
    e.preventDefault();
    e.stopPropagation();
    move(...placeOf(button), e.key - 1, true);
  };
  show();
}

const renderer = {
  draw(v, head, width, ask) {
    const wide = width >= 620, can = new Set((ask?.choices || []).map(c => c.at));
    const city = cityOf(v, head, width, 76, wide, can), council = councilOf(v, head, width, city.y + 24, wide);
    let out = stepsOf(v, head, width, wide) + city.svg + council.svg, y = council.y + 20;
    out += text(0, y, v.letter && "ABCDEFG".includes(v.letter) ? "Bids" : "Stacks", "name") + text(58, y, "solid: turned over in this step; grey: face down", "muted");
    y += 10;
    for (let k = 0; k < head.players; k++) {
      const seat = (v.start + k) % head.players, bid = v.bids[seat], stacks = stacksOf(v, seat, 88, y, width);
      const shown = bid ? rect(28, y + 1, 44, 28, "edifice", 5) + text(50, y + 21, bid.reduce((a, b) => a + b, 0), "mid paper", "middle")
        : v.has_bid[seat] ? text(28, y + 20, "passes", "muted") : "";
      out += spot(`bid:${seat}`, spot(`stacks:${seat}`, disc(seat, 10, y + 15, 9.5) + shown + stacks.svg));
      y = stacks.y;
    }
    return {svg: out, height: y};
  },
  columns: (v, head) => {
    const letter = letters(head);
    const goods = own => Object.entries(own).filter(([, n]) => n).map(([g, n]) => chip(letter[g] + (n > 1 ? n : ""), tint(head, g))).join(" ");
    return [
      {name: "Coins", cell: s => v.coins[s] ?? "?"},
      {name: "Goods", cell: s => v.goods[s] === null ? "?" : goods(v.goods[s]) || "–"},
      {name: "Privileges", short: "Priv.", cell: s => v.privileges[s] ?? "?"},
      {name: "Members in the city", short: "City", cell: s => v.members.filter(m => m[2] === s).length || "–"},
      {name: "Members in the council", short: "Council", cell: s => Object.values(v.council).filter(x => x === s).length || "–"},
      {name: "Cards in the deck", short: "Deck", cell: s => v.decks[s]},
    ];
  },
  words: (v, head) => {
    const members = v.members.map(([c, r, s]) => `player ${s + 1} on ${column(c)}${r}`).join(", ") || "none";
    const council = head.board.chairs.map(c => `${c} ${v.council[c] === null ? "empty" : `player ${v.council[c] + 1}`}`).join(", ");
    return `Members in the city: ${members}. Council: ${council}. Edifices: ${v.built.map(([c, r, p]) => `${p} on ${column(c)}${r}`).join(", ") || "none"}. Chapels: ${v.chapels.length}.`;
  },
  compose: (box, plan, submit) => composeStacks(box, plan, submit),
  mine: m => {
    if (m.compose) return (m.tasks.length ? `<p class="muted">Your tasks: ${esc(m.tasks.map(t => `${t.text} (${t.points})`).join("; "))}</p>` : "");
    const cards = list => list.map(c => `<span class="influence">${esc(c)}</span>`).join(""), row = (name, inner) => `<p><b>${name}</b> ${inner}</p>`;
    return (m.plan.length ? row("Stacks", m.plan.map(cards).join(" &nbsp; ")) : "") + (m.pile.length ? row("This stack", cards(m.pile)) : "")
      + (m.hand.length ? row("In hand", cards(m.hand)) : "")
      + (Object.keys(m.deck).length ? `<p class="muted">In your deck: ${Object.entries(m.deck).sort((a, b) => b[0] - a[0]).map(([c, n]) => `${n} × ${c}`).join(", ")}</p>` : "")
      + (m.tasks.length ? `<p class="muted">Your tasks: ${esc(m.tasks.map(t => `${t.text} (${t.points})`).join("; "))}</p>` : "");
  },
};
