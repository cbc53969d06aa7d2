// Curves over the steps: points if the game ended now, and where the game was judged each seat's share of the win with its marks.
let shown = judged ? "win" : "now";
const MARK = {error: "M0-6L6 5H-6z", luck: "M0-6.5L6.5 0L0 6.5L-6.5 0z"};  // a triangle is an error, a diamond is luck
const turnsByStep = new Map();
(judged?.turns || []).forEach(turn => { if (!turnsByStep.has(turn.step)) turnsByStep.set(turn.step, []); turnsByStep.get(turn.step).push(turn); });

const valuesAt = k => shown === "win" ? judged.win[k] : views[k].now;
const asText = n => n === null ? "?" : shown === "win" ? percent(n) : n;

function drawCurve() {
  if (judged) {
    $("tabs").hidden = false;
    for (const name of ["win", "now"]) $(`tab-${name}`).setAttribute("aria-pressed", String(shown === name));
    $("curve-note").textContent = shown === "win"
      ? `What ${judged.agent} expects, step by step. Triangles: costly decisions; diamonds: luck; their colour is the seat.` : head.over_now;
  }
  const w = Math.max(280, Math.min(560, $("curve").clientWidth || 320)), h = shown === "win" ? 190 : 150, right = 26, left = 34;
  const all = views.flatMap((_, k) => valuesAt(k)).filter(n => n !== null), top = shown === "win" ? 1 : Math.max(10, ...all), low = Math.min(0, ...all);
  const x = k => left + (w - left - right) * k / Math.max(1, last()), y = n => 10 + (h - 30) * (top - n) / (top - low);
  const unit = shown === "win" ? .25 : [5, 10, 20, 25, 50, 100, 200].find(u => (top - low) / u <= 4) || 500;
  let out = "";
  for (let n = Math.ceil(low / unit) * unit; n <= top; n += unit) out += line(left, y(n), w - right, y(n), "grid") + text(left - 5, y(n) + 4, asText(n), "muted", "end");
  let free = 0;
  for (const {k, number} of rounds()) {
    out += line(x(k), 10, x(k), h - 20, "grid");
    const words = free === 0 ? `Round ${number}` : String(number);
    if (x(k) >= free && x(k) < w - 40) { out += text(x(k) + 3, h - 6, words, "muted"); free = x(k) + 8 * words.length + 6; }
  }
  const ends = head.seats.flatMap((_, s) => valuesAt(last())[s] === null ? [] : [{s, y: y(valuesAt(last())[s])}]).sort((a, b) => a.y - b.y);
  ends.forEach((e, k) => { if (k && e.y < ends[k - 1].y + 17) e.y = ends[k - 1].y + 17; });
  ends.reverse().forEach((e, k) => { e.y = Math.min(e.y, k ? ends[k - 1].y - 17 : h - 16); });
  head.seats.forEach((_, s) => {
    const d = views.map((_, k) => ({k, n: valuesAt(k)[s]})).filter(p => p.n !== null)
      .map((p, j) => (j ? `H${x(p.k).toFixed(1)}V` : `M${x(p.k).toFixed(1)} `) + y(p.n).toFixed(1)).join("");
    if (d) out += tag("path", {d, class: `line p${s}`});
  });
  ends.forEach(e => { out += disc(e.s, w - 12, e.y, 8); });
  if (shown === "win") for (const turn of judged.turns)
    out += tag("path", {d: MARK[turn.kind], class: `turn-mark p${turn.seat}`, "data-turn": turn.step,
      transform: `translate(${x(turn.step).toFixed(1)} ${y(judged.win[turn.step][turn.seat]).toFixed(1)})`}, tag("title", {}, esc(turn.said)));
  out += line(x(at), 4, x(at), h - 18, "cursor");
  const now = valuesAt(at), label = `${shown === "win" ? "Expected share of the win" : capital(head.unit)} of every seat over time; at this step ${
    head.seats.map((s, k) => `${s.name} ${asText(now[k])}`).join(", ")}`;
  html($("curve"), tag("svg", {viewBox: `0 0 ${w} ${h}`, width: w, role: "img", "aria-label": label}, out));
  $("curve").firstChild.onclick = e => {
    const b = $("curve").firstChild.getBoundingClientRect(), mark = e.target.closest("[data-turn]");
    go(mark ? +mark.dataset.turn : Math.round(((e.clientX - b.left) * w / b.width - left) / (w - left - right) * last()));
  };
  $("leader").textContent = leaderWords(now);
}

function leaderWords(now) {
  if (now.some(n => n === null)) return "Some points are unknown to you.";
  const sign = head.lowest_wins && shown !== "win" ? -1 : 1, ranked = now.map(n => sign * n), best = Math.max(...ranked);
  const names = ranked.flatMap((n, k) => n === best ? [seatName(k)] : []);
  const who = names.map((name, k) => k && name.startsWith("The ") ? `the ${name.slice(4)}` : name), second = Math.max(...ranked.filter(n => n < best));
  if (!Number.isFinite(second)) return "No seat leads.";
  const many = who.length > 1 || who[0] === "You";
  if (shown === "win") return `${who.join(" and ")} ${many ? "are" : "is"} ahead with ${percent(best)}.`;
  const over = views[at].over;
  return `${who.join(" and ")} ${over ? (many ? "win" : "wins") : many ? "lead" : "leads"} by ${best - second}.`;
}

function drawJudged() {
  if (!judged) return;
  $("judged").textContent = judged.notes[at] || "";
  html($("turns"), shown !== "win" ? "" : judged.turns.map(turn => `<li><button type="button" data-k="${turn.step}"${turn.step === at ? ' aria-current="step"' : ""}>`
    + `<svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true" class="p${turn.seat}">${tag("path", {d: MARK[turn.kind], class: "turn-mark"})}</svg>`
    + `<span>${esc(turn.said)}</span></button></li>`).join(""));
  const next = judged.next?.steps[at];
  $("next-section").hidden = !next;
  if (!next) return;
  const rows = next.rows.map(([name, ways, came, ...win]) => ({name: judged.next.names[name] + (ways > 1 ? ` (×${ways})` : ""), came, win}));
  const best = head.seats.map((_, s) => Math.max(...rows.map(r => r.win[s])));
  const seat = (s, k) => `<th scope="col">${badge(k)}<span class="skip">${esc(s.name)}</span></th>`;
  const cell = (n, s) => n === best[s] ? `<td><b>${percent(n / 1000)}</b></td>` : `<td>${percent(n / 1000)}</td>`;
  const row = r => `<tr${r.came ? ' class="acting"' : ""}><th scope="row">${esc(r.name)}${r.came ? "<small>came</small>" : ""}</th>${r.win.map(cell).join("")}</tr>`;
  $("next-note").textContent = next.note;
  html($("next-table"), `<caption class="skip">Share of the win after each draw</caption><thead><tr><th scope="col">Draw</th>${head.seats.map(seat).join("")}</tr></thead><tbody>${rows.map(row).join("")}</tbody>`);
}

function listenCurve() {
  for (const name of ["win", "now"]) $(`tab-${name}`).onclick = () => { shown = name; draw(); };
}
