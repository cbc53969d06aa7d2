"""Files written atomically, input read within limits, signals, locks, worker processes, the cache of compiled code.

The room is large because third-party code runs in processes that can be ended: 450 lines that joblib does not have.
"""
