// An agent in JavaScript: strozzi play strozzi --agents pipe:program=examples/first_action.js
// Each line of the standard input is a decision; the answer is one line, flushed at once.
const readline = require("node:readline");

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { view, legal } = JSON.parse(line);
  const kept = legal.filter(({ name }) => name !== "pirate");
  process.stdout.write(JSON.stringify({ name: kept[view.round % kept.length].name }) + "\n");
});
