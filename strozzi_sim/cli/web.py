"""play --web: serve the table of one player until the terminal ends it."""

from pathlib import Path
from typing import TYPE_CHECKING

from strozzi_sim.cli import options
from strozzi_sim.errors import Stopped

if TYPE_CHECKING:
    from strozzi_sim.web.session import Sitting


def serve(sitting: "Sitting", port: int, out: Path | None) -> None:
    """Print the address of the page, and serve it until the process is interrupted.

    Raises:
        InputError: the port is out of range, or cannot be listened on.
        StorageError: the record cannot be written to `out`.
    """
    from strozzi_sim.play.records import write_record
    from strozzi_sim.web.ending import Ending
    from strozzi_sim.web.server import TableServer, port_error
    from strozzi_sim.web.session import Session

    options.check_range("--port", port, 0, 65_535)
    if out is not None and not out.exists():
        write_record(out, [])  # an unwritable place is an error before the game
    ending = Ending(out)
    try:
        server = TableServer(Session(sitting, ending.add), ending, port)
    except OSError as error:
        raise port_error(port, error) from error
    with server:
        print(f"Open {server.address}\nCtrl+C ends the table.", flush=True)
        try:
            server.serve_forever()
        except (KeyboardInterrupt, Stopped):
            print("The table is closed.")
