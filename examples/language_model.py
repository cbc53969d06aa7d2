#!/usr/bin/env python3
"""A language model at the table, behind any address that speaks the chat format of OpenAI; the standard library is enough.

LLM_URL=http://localhost:11434/v1/chat/completions LLM_MODEL=qwen3 STROZZI_DECISION_SECONDS=300 \
    strozzi balance strozzi --players 4 --agents pipe:program=examples/language_model.py,illegal=random,heuristic --deals 2

Illegal answers are counted, and replaced by random actions. The answers of a model may differ each time, so such games cannot be
repeated; `strozzi leak-check` says so.
"""

import json
import os
import sys
from urllib.request import Request, urlopen

URL, MODEL, KEY = os.environ["LLM_URL"], os.environ["LLM_MODEL"], os.environ.get("LLM_KEY", "")
TASK = "You play the board game {game}, and want the most points at the end. Answer with the number of one action, nothing else."


def ask(decision):
    """Return what the model says about a decision."""
    choices = "\n".join(f"{choice['action']}: {choice['name']}" for choice in decision["legal"])
    position = json.dumps(decision["view"])
    messages = [
        {"role": "system", "content": TASK.format(game=decision["game"])},
        {
            "role": "user",
            "content": f"You are seat {decision['seat']}. The position:\n{position}\nYour actions:\n{choices}",
        },
    ]
    body = json.dumps({"model": MODEL, "messages": messages, "temperature": 0}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    with urlopen(Request(URL, body, headers)) as answer:
        return json.load(answer)["choices"][0]["message"]["content"]


for line in sys.stdin:
    said = ask(json.loads(line)).strip()
    print(json.dumps({"action": int(said) if said.isdigit() else said}), flush=True)
