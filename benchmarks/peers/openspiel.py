"""Simulations per second of OpenSpiel's C++ ISMCTSBot on a four-player card game; run by peers.py in its own environment.

Prints one line of JSON. The bot searches every decision of whole games; only the time inside `step` counts.
"""

import json
import sys
import time

import pyspiel


def simulations_per_second(seconds: float, simulations: int) -> dict[str, float]:
    """Play oh_hell with ISMCTSBot at every seat for about `seconds`."""
    game = pyspiel.load_game("oh_hell(players=4)")
    evaluator = pyspiel.RandomRolloutEvaluator(1, 17)
    bot = pyspiel.ISMCTSBot(17, evaluator, 2.0, simulations)
    spent, searched, games, draw = 0.0, 0, 0, 17
    while spent < seconds:
        state = game.new_initial_state()
        while not state.is_terminal() and spent < seconds:
            if state.is_chance_node():
                draw = (draw * 6364136223846793005 + 1442695040888963407) % 2**64
                outcomes = [action for action, _ in state.chance_outcomes()]
                state.apply_action(outcomes[(draw >> 33) % len(outcomes)])
                continue
            began = time.perf_counter()
            action = bot.step(state)
            spent += time.perf_counter() - began
            searched += 1
            state.apply_action(action)
        games += 1
    return {"simulations_per_s": searched * simulations / spent, "decisions": searched, "games": games}


print(json.dumps(simulations_per_second(float(sys.argv[1]), int(sys.argv[2]))))
