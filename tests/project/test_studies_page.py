"""docs/studies.md and docs/*.schema.json are what the code says."""

import runpy

from paths import ROOT
from strozzi_sim.study.kinds.balance import Balance
from strozzi_sim.study.kinds.sweep import Sweep
from strozzi_sim.study.look import Look

WRITTEN = runpy.run_path(str(ROOT / "docs" / "write_studies.py"))


def test_the_page_and_the_schema_are_those_of_the_code():
    assert (ROOT / "docs" / "studies.md").read_text("utf-8") == WRITTEN["page"](), "run python docs/write_studies.py"
    assert (ROOT / "docs" / "study.schema.json").read_text("utf-8") == WRITTEN["schema"]()
    assert (ROOT / "docs" / "decision.schema.json").read_text("utf-8") == WRITTEN["decision_schema"]()
    assert (ROOT / "docs" / "table.schema.json").read_text("utf-8") == WRITTEN["table_schema"]()


def test_every_key_of_a_study_is_explained():
    of_study = {*Balance.form().__struct_fields__, *Sweep.form().__struct_fields__} - {"behaviour", "agents"}
    of_look = set(Look.__struct_fields__) - set(WRITTEN["IN_REPORT"])
    assert set(WRITTEN["KEYS"]) == of_study | of_look | {"chunks", "variant", "report"}
