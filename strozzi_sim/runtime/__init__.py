"""Files written atomically, input read within limits, signals, locks, worker processes, the cache of compiled code."""
