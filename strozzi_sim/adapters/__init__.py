"""Environments for other libraries, each an optional extra: PettingZoo, Gymnasium, OpenSpiel.

`strozzi_sim` imports none of these libraries; only the modules of this folder do.
"""
