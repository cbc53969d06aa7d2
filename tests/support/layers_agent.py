"""An agent whose every choice hangs on the last bits of matrix products."""

import numpy as np

from strozzi_sim.agent import python_agent
from strozzi_sim.games.strozzi.view import OBSERVATION
from strozzi_sim.kernel.streams import SeatRng


@python_agent(name="layers")
class Layers:
    """A network with one hidden layer; which action it takes hangs on the last bits of its products."""

    def __init__(self):
        draws = SeatRng(1)
        self.first = np.array([[draws.unit() - 0.5 for _ in range(32)] for _ in range(OBSERVATION)], np.float32)
        self.second = np.array([[draws.unit() - 0.5 for _ in range(15)] for _ in range(32)], np.float32)

    def act_batch(self, observations, legal, rng):
        scores = np.maximum(observations @ self.first, 0) @ self.second
        bits = scores.astype(np.float32).view(np.uint32)
        return np.where(legal, (bits % 1009).astype(np.int64), -1).argmax(axis=1)
