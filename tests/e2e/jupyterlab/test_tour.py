"""The notebook that `make lab` opens."""

from __future__ import annotations

from lab_page import Lab

from jupyter_ext.launch import EXAMPLES, lay_out


def test_opening_the_tour_changes_nothing(lab: Lab) -> None:
    lay_out(EXAMPLES, lab.server.root)
    lab.visit("tour")
    lab.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
    )
    lab.show_panel()
    model = lab.page.evaluate_handle("window.jupyterapp.shell.currentWidget.context.model")
    assert not model.evaluate("model => model.dirty"), model.evaluate(
        "model => JSON.stringify(model.metadata ?? model.sharedModel.metadata)"
    )
