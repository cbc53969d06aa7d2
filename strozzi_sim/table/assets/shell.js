// The page: a list of steps that is looked through; a person's list grows, with a question at its end (play.js).
const $ = id => document.getElementById(id), html = (element, inner) => { element.innerHTML = inner; };
const data = JSON.parse($("data").textContent), head = data.head, judged = data.judged || null;
head.seats.forEach((seat, k) => { if (seat.mark) signs[k] = seat.mark; });
const views = [], told = [];  // after each step: the view, and what was said
const person = {ask: null, hinted: null, at: () => {}, asked: () => {}, choose: () => {}, key: () => false};  // play.js fills it in
let at = 0, playing = 0;
const last = () => views.length - 1, atEnd = () => at === last();
const seatName = s => head.seats[s].name;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const rounds = () => views.flatMap((v, k) => v.round > (views[k - 1]?.round ?? 0) ? [{k, number: v.round}] : []);
const add = steps => steps.forEach(step => { views.push({...(views.at(-1) || {}), ...step.set}); told.push(step); });
const percent = share => `${Math.round(100 * share)} %`;

function drawBoard() {
  const v = views[at], asked = atEnd() ? person.ask : null, box = $("board"), width = Math.max(280, Math.min(860, Math.floor(box.clientWidth || 760) - 12));
  const {svg, height} = renderer.draw(v, head, width, asked), live = asked?.choices;
  const words = `The table after step ${at + 1}. ${renderer.words(v, head)}`;
  html(box, tag("svg", {viewBox: `-6 -2 ${width + 12} ${height + 6}`, width: width + 12, role: live ? "group" : "img", "aria-label": words}, svg));
  const touched = new Set(told[at].marks);
  box.querySelectorAll("[data-at]").forEach(part => {
    if (touched.has(part.dataset.at)) part.classList.add("on");
    const choice = live && live.find(c => c.at === part.dataset.at);
    if (choice) makeChoice(part, choice);
  });
}

function makeChoice(part, choice) {
  const b = part.getBBox(), pad = Math.max(0, (26 - Math.min(b.width, b.height)) / 2);
  const label = choice.note ? `${choice.label}: ${choice.note}` : choice.label;
  part.insertAdjacentHTML("beforeend", tag("rect", {
    x: b.x - pad, y: b.y - pad, width: b.width + 2 * pad, height: b.height + 2 * pad, rx: 6, class: "hit-area", role: "button", tabindex: 0, "aria-label": label,
  }));
  part.classList.add("can");
  if (person.hinted === choice.name) part.classList.add("hinted");
  part.lastChild.addEventListener("click", () => person.choose(choice));
  part.lastChild.addEventListener("keydown", e => {
    if (e.key === "Enter" || e.key === " ") { e.preventDefault(); e.stopPropagation(); person.choose(choice); }
  });
}

function drawSeats() {
  const v = views[at], columns = renderer.columns(v, head), known = v.now.filter(n => n !== null), sign = head.lowest_wins ? -1 : 1;
  const top = sign * Math.max(...known.map(n => sign * n));
  const leads = v.now.map(n => n === top && known.length === v.now.length && (v.round > 0 || v.over) && v.now.some(m => sign * m < sign * top));
  const title = c => `<th scope="col"${c.left ? ' class="left-aligned"' : ""}>${c.short ? `<abbr title="${esc(c.name)}">${c.short}</abbr>` : esc(c.name)}</th>`;
  const row = (seat, k) => `<tr class="${k === v.actor ? "acting" : ""}"><th scope="row">${badge(k)} <span>${esc(seat.family ?? (k === head.viewer ? "You" : `Player ${k + 1}`))}${
    seat.agent === "you" || !seat.agent ? "" : `<small>${esc(seat.agent)}</small>`}</span></th>${
    columns.map(c => `<td${c.left ? ' class="left-aligned"' : ""}>${c.cell(k)}</td>`).join("")}<td><b>${v.now[k] ?? "?"}</b>${
    leads[k] ? `<small>${v.over ? "wins" : "leads"}</small>` : ""}</td></tr>`;
  html($("seats"), `<caption>Holdings</caption><thead><tr><th scope="col">Seat</th>${columns.map(title).join("")}<th scope="col">${
    v.over ? "In the end" : "If over now"}</th></tr></thead><tbody>${head.seats.map(row).join("")}</tbody>`);
}

function drawLog() {
  const list = $("log");
  for (let k = list.children.length; k <= last(); k++) {
    const item = document.createElement("li");
    item.textContent = told[k].said;
    if (views[k].round > (views[k - 1]?.round ?? 0)) item.className = "round";
    list.append(item);
  }
  while (list.children.length > views.length) list.lastChild.remove();
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = list.children[at];
  item.setAttribute("aria-current", "step");
  if (list.scrollHeight > list.clientHeight) list.scrollTop = item.offsetTop - list.clientHeight / 2;
}

function drawStep() {
  const v = views[at], of = head.rounds ? ` of ${head.rounds}` : "";
  $("said").textContent = told[at].said;
  $("where").textContent = `${v.round ? `Round ${v.round}${of}` : Object.keys(head.board).length ? "Setting up" : `Step ${at + 1}`}${v.step ? `, ${v.step}` : ""}`;
  const slide = $("slide");
  slide.max = last(); slide.value = at;
  slide.setAttribute("aria-valuetext", told[at].said);
  $("count").textContent = `${at + 1} / ${last() + 1}`;
  $("back").disabled = $("first").disabled = at === 0;
  $("next").disabled = $("end").disabled = atEnd();
  html($("rounds"), rounds().map(r => `<button type="button" data-k="${r.k}" aria-label="Round ${r.number}" aria-pressed="${r.number === v.round}">${r.number}</button>`).join(""));
  for (const part of document.querySelectorAll(".of-rounds")) part.hidden = rounds().length === 0;
}

function draw() {
  drawBoard();
  drawStep();
  drawSeats();
  drawCurve();
  drawJudged();
  drawLog();
  person.asked();
}
