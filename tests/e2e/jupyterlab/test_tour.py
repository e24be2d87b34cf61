"""The notebook that `make lab` opens."""

from __future__ import annotations

from lab_page import Lab
from playwright.sync_api import expect

from jupyter_ext.launch import EXAMPLES, arrange, lay_out


def test_the_tour_opens_with_the_panel_and_nothing_unsaved(lab: Lab) -> None:
    lay_out(EXAMPLES, lab.server.root)
    for workspace in lab.server.workspaces.glob("*"):
        workspace.unlink()
    arrange(lab.server.workspaces)
    lab.visit("tour", workspace="as it is")
    lab.page.wait_for_function(
        "window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel?.status === 'idle'"
    )
    expect(lab.status).to_have_attribute("data-link", "ready")
    expect(lab.panel).to_be_visible()
    model = lab.page.evaluate_handle("window.jupyterapp.shell.currentWidget.context.model")
    assert not model.evaluate("model => model.dirty"), model.evaluate(
        "model => JSON.stringify(model.metadata ?? model.sharedModel.metadata)"
    )
