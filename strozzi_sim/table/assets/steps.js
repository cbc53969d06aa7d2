// Stepping: buttons, slider, keys, swipes, clicks on the list; and the start of the page.
const go = k => { at = Math.max(0, Math.min(last(), k)); draw(); };
function stop() {
  clearInterval(playing);
  playing = 0;
  $("run").textContent = "Play";
  $("run").setAttribute("aria-label", "Play the steps");
}
function run() {
  if (playing) return stop();
  if (atEnd()) at = 0;
  $("run").textContent = "Pause";
  $("run").setAttribute("aria-label", "Pause");
  playing = setInterval(() => { go(at + 1); if (atEnd()) stop(); }, 900);
}
const roundBefore = () => rounds().filter(r => r.k < at).at(-1)?.k ?? 0, roundAfter = () => rounds().find(r => r.k > at)?.k ?? last();

function listen() {
  const moves = {first: () => 0, back: () => at - 1, next: () => at + 1, end: last};
  for (const [id, to] of Object.entries(moves)) $(id).onclick = () => { stop(); go(to()); };
  $("run").onclick = run;
  $("slide").oninput = e => { stop(); go(+e.target.value); };
  $("rounds").onclick = e => { const button = e.target.closest("button"); if (button) { stop(); go(+button.dataset.k); } };
  $("log").onclick = e => { const k = [...$("log").children].indexOf(e.target.closest("li")); if (k >= 0) { stop(); go(k); } };
  $("turns").onclick = e => { const button = e.target.closest("button"); if (button) { stop(); go(+button.dataset.k); } };
  $("theme").onclick = () => {
    const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  };
  document.addEventListener("keydown", e => {
    if (e.target.closest?.("input, select, textarea") || e.altKey || e.ctrlKey || e.metaKey) return;
    const to = {ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: last, PageUp: roundBefore, PageDown: roundAfter}[e.key];
    if (to) { e.preventDefault(); stop(); go(to()); } else if (person.key(e)) e.preventDefault();
  });
  let from = null;
  $("board").addEventListener("touchstart", e => { from = e.touches.length === 1 ? e.touches[0] : null; }, {passive: true});
  $("board").addEventListener("touchend", e => {
    const end = e.changedTouches[0], x = from ? end.clientX - from.clientX : 0, y = from ? end.clientY - from.clientY : 0;
    if (Math.abs(x) > 60 && Math.abs(y) < 40) { stop(); go(at + (x < 0 ? 1 : -1)); }
  });
  addEventListener("resize", draw);
  addEventListener("hashchange", () => { stop(); go((parseInt(location.hash.slice(1)) || 1) - 1); });
}

function begin() {
  document.documentElement.classList.add("js");
  html($("log"), "");
  add(data.steps);
  listen();
  listenCurve();
  at = data.version === undefined ? Math.max(0, Math.min(last(), (data.start ?? (parseInt(location.hash.slice(1)) || 1)) - 1)) : last();
  person.at();
  draw();
}
