"""The knowledge of a seat: the observation tensor, from which the text and the table in the browser are made."""

from strozzi_sim.game.slices import Group, Layout, Slice, number
from strozzi_sim.template.state import MAX_COPIES, MAX_FACE_UP, SEATS, VALUES

KINDS = range(1, VALUES + 1)  # named by their value
SCORE = Slice("score", (), "value of the tokens taken / 100", source=number("score", 100))
SLICES = Layout(
    Group("seats", (SEATS,), "for each seat, 0 = the observer, then clockwise; 0 for seats not in the game", (SCORE,)),
    Slice("face_up", (VALUES,), "by value: tokens face up / 10", source=number("face_up", MAX_FACE_UP), names=KINDS),
    Slice("sack", (VALUES,), "by value: tokens in the sack / 20", source=number("sack", MAX_COPIES), names=KINDS),
    Slice("turns_left", (), "turns left of all seats / 80", source=number("turns_left", 80)),
)

question = "Which token?"
