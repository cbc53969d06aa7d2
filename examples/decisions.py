"""Decisions of a study as batches for PyTorch: the rows that `facts = ["decision"]` keeps, in constant memory.

Run it with `python examples/decisions.py FOLDER`, on the results of such a study; it needs PyTorch.
"""

import sys

import numpy as np
import pyarrow.dataset as ds
import torch

FEATURES = ["round", "choices", "sail", "cargo", "flags_left", "rivals_left", "cards_left", "lead", "at_stake"]
ACTIONS = ["pass", "pirate", "plus_one", "ware"]


class Decisions(torch.utils.data.IterableDataset):
    """Yield batches of claims: features [n, F], actions [n], and the share of the win that each seat had in the end [n]."""

    def __init__(self, folder, batch=1024):
        super().__init__()
        self.folder, self.batch = folder, batch

    def __iter__(self):
        """Yield the batches in the order of the deals; each worker of a DataLoader reads its own files."""
        rows = ds.dataset(f"{self.folder}/facts/decision")
        worker = torch.utils.data.get_worker_info()
        files = rows.files[worker.id :: worker.num_workers] if worker else rows.files
        claims = ds.dataset(files).to_batches(
            columns=[*FEATURES, "action", "win"], filter=ds.field("phase") == "claim", batch_size=self.batch
        )
        for part in claims:
            table = part.to_pandas()
            if len(table):
                chosen = [ACTIONS.index(action) for action in table["action"]]
                features = torch.tensor(table[FEATURES].to_numpy(np.float32))
                yield features, torch.tensor(chosen), torch.tensor(table["win"].to_numpy(np.float32))


if __name__ == "__main__":
    counts = sum(torch.bincount(chosen, minlength=len(ACTIONS)) for _, chosen, _ in Decisions(sys.argv[1]))
    print(dict(zip(ACTIONS, counts.tolist(), strict=True)))
