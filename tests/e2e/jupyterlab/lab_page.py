"""JupyterLab as the browser tests use it, in a person's words."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from module_graph import Modules
from playwright.sync_api import FrameLocator, Locator, Page, Response, WebSocket, expect

OWN_KERNEL = "python3"
POLL_MS = 100  # each frame, otherwise


@dataclass
class Server:
    """A running JupyterLab."""

    url: str
    token: str
    root: Path
    config: Path
    data: Path
    workspaces: Path
    spare: str | None = None  # the session of an emptied kernel, for the next notebook
    lab: Lab | None = None  # its page, once a test has opened one

    def configure(self, *, language_servers: bool) -> None:
        """Have pages that are loaded from now on talk to language servers, or not.

        Each page and each notebook would start one. No page asks whether to build JupyterLab.
        """
        off = () if language_servers else _LANGUAGE_SERVERS
        settings = {"buildCheck": False, "disabledExtensions": dict.fromkeys(off, True)}
        place = self.config / "labconfig" / "page_config.json"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(settings))

    def api(self, path: str, method: str = "GET", body: Any = None) -> Any:
        """Ask its REST interface."""
        request = urllib.request.Request(
            f"{self.url}/api/{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"token {self.token}"},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def end_kernels(self) -> None:
        """Shut all kernels down."""
        self.spare = None
        for session in self.api("sessions"):
            self.api(f"sessions/{session['id']}", "DELETE")


_LANGUAGE_SERVERS = "@jupyterlab/lsp-extension", "@jupyter-lsp/jupyterlab-lsp"


class Lab:
    """A page of JupyterLab with the panel in it."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server
        self.asked: list[str] = []
        self.sockets: list[WebSocket] = []
        page.on("request", lambda each: self.asked.append(each.url))
        page.on("websocket", lambda socket: self.sockets.append(socket))

    def open(
        self,
        name: str,
        cells: Sequence[str],
        *,
        keep_others: bool = False,
        kernel: str = OWN_KERNEL,
    ) -> None:
        """Open a new notebook of these code cells, with the panel in front.

        Close all others first, unless `keep_others` is true. Use the spare kernel if it has this
        name.
        """
        if self._is_loaded() and not keep_others:
            self.tidy()
        self.write(name, cells, kernel=kernel)
        if self.server.spare is not None and kernel == OWN_KERNEL:
            self.server.api(f"sessions/{self.server.spare}", "PATCH", {"path": f"{name}.ipynb"})
            self.server.spare = None
        self.show(name)
        self.show_panel()

    def tidy(self) -> None:
        """Close all documents and graphs unsaved, and empty one kernel for the next notebook."""
        self.page.evaluate(_CLOSE)
        self.page.wait_for_function(_IS_CLOSED, polling=POLL_MS)
        self.leave_kernels()

    def _is_loaded(self) -> bool:
        return self.page.url.startswith(self.server.url)

    def write(self, name: str, cells: Sequence[str], *, kernel: str = OWN_KERNEL) -> None:
        """Make a notebook of these code cells."""
        made = [
            nbformat.v4.new_markdown_cell(cell[3:])
            if cell.startswith("md:")
            else nbformat.v4.new_code_cell(cell)
            for cell in cells
        ]
        notebook = nbformat.v4.new_notebook(cells=made)
        notebook.metadata["kernelspec"] = {"name": kernel, "display_name": kernel}
        nbformat.write(notebook, self.server.root / f"{name}.ipynb")

    def show(self, name: str) -> None:
        """Open a notebook that is there, in the page that is open where there is one."""
        if self._is_loaded():
            self.command("docmanager:open", path=f"{name}.ipynb")
            self._await_open(name)
        else:
            self.visit(name)

    def visit(self, name: str, *, workspace: str = "reset") -> None:
        """Open a notebook that is there, and nothing else."""
        suffix = "&reset" if workspace == "reset" else ""
        self.page.goto(f"{self.server.url}/lab/tree/{name}.ipynb?token={self.server.token}{suffix}")
        self._await_open(name)

    def show_panel(self) -> None:
        """Bring the panel to the front, and see it connected to the kernel."""
        self.command("torchferry:show")
        expect(self.panel).to_be_visible()
        # Connected, that is: until then it says what it waits for.
        expect(self.status).to_have_attribute("data-link", "ready")

    def save_layout(self) -> None:
        """Change the layout, and wait until it has been saved as it is now."""
        folded = self.page.evaluate("window.jupyterapp.shell.leftCollapsed")

        def has_it(response: Response) -> bool:
            if "/api/workspaces/" not in response.url or response.request.method != "PUT":
                return False
            layout = response.request.post_data_json["data"].get("layout-restorer:data", {})
            return bool(layout.get("left", {}).get("collapsed") != folded)

        with self.page.expect_response(has_it):
            self.command("application:toggle-left-area")

    def reload(self) -> None:
        """Reload the page once its layout has been saved."""
        self.save_layout()
        self.page.goto(f"{self.server.url}/lab?token={self.server.token}")
        expect(self.status).to_have_attribute("data-link", "ready")

    def command(self, name: str, **arguments: Any) -> None:
        """Run a command of JupyterLab's."""
        # Nothing is returned: a widget takes long to be written out.
        self.page.evaluate(
            "async ([name, args]) => { await window.jupyterapp.commands.execute(name, args); }",
            [name, arguments],
        )

    @property
    def panel(self) -> Locator:
        return self.page.locator("#torchferry-panel")

    @property
    def status(self) -> Locator:
        return self.panel.locator(".tf-Status")

    @property
    def findings(self) -> Locator:
        return self.panel.locator(".tf-Finding")

    @property
    def converted(self) -> Locator:
        return self.panel.locator(".tf-Code .cm-content")

    @property
    def graph(self) -> Modules:
        """The graph in the panel."""
        return Modules(self.panel.locator(".tf-Modules"))

    @property
    def netron(self) -> FrameLocator:
        """Netron's page of the graph in the tab that is in front."""
        return self.page.frame_locator(".tf-GraphTab:visible .tf-Netron:visible iframe")

    @property
    def call(self) -> Locator:
        """The field with the call to trace."""
        return self.panel.get_by_label("Call to trace")

    def tab(self, name: str) -> Locator:
        """Return the tab of a document in the main area."""
        label = self.page.get_by_text(name, exact=True)
        return self.page.locator("#jp-main-dock-panel .lm-TabBar-tab", has=label)

    def switch_to(self, name: str) -> None:
        """Bring the tab of a document to the front, and see it there."""
        self.tab(name).click()
        expect(self.tab(name)).to_have_class(re.compile("lm-mod-current"))
        self._await_front(name)

    def _await_open(self, name: str) -> None:
        """Wait until a notebook is in front: others may be shown before it."""
        self._await_front(f"{name.rpartition('/')[2]}.ipynb")
        expect(self.page.locator(".jp-Notebook:visible .jp-Cell").first).to_be_visible()

    def _await_front(self, name: str) -> None:
        """Wait until the tab of this name is the current one."""
        # Not an async function: a promise counts as true as soon as it is there.
        self.page.wait_for_function(
            """name => {
                const front = window.jupyterapp?.shell?.currentWidget;
                return front?.title.label === name && front.isVisible;
            }""",
            arg=name,
            polling=POLL_MS,
        )

    def restart(self) -> None:
        """Restart the kernel of the notebook in front."""
        self.page.evaluate(
            "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
        )

    def save(self) -> None:
        """Save the notebook in front."""
        self.command("docmanager:save")
        dirty = self.page.locator(".lm-TabBar-tab.lm-mod-current.jp-mod-dirty")
        expect(dirty).to_have_count(0)

    def trace(self, call: str) -> None:
        """Trace the call that the panel offers, and wait for the result."""
        expect(self.call).to_have_value(call)
        self.button("Trace").click()
        expect(self.button("Trace")).to_be_enabled(timeout=90_000)

    def compared(self) -> Locator:
        """Return the output of the panel's last run."""
        return self.section("Comparison").locator(".tf-Run-output")

    def button(self, name: str) -> Locator:
        """Return a button of the panel."""
        return self.panel.get_by_role("button", name=name, exact=True)

    def section(self, heading: str) -> Locator:
        return self.panel.get_by_role("region", name=heading)

    def cell(self, index: int) -> Locator:
        return self.page.locator(".jp-Notebook:visible .jp-Cell").nth(index)

    def select(self, index: int) -> None:
        """Click into a cell, again where the click went to a notebook that was about to hide."""
        cell = self.cell(index)
        for patience in (2_000, 5_000, 10_000):
            cell.locator(".jp-InputArea-prompt, .jp-MarkdownOutput").first.click()
            try:
                expect(cell).to_have_class(_ACTIVE, timeout=patience)
                return
            except AssertionError:
                continue
        expect(cell).to_have_class(_ACTIVE)

    def run(self, index: int) -> None:
        """Run a code cell and wait for it to be done."""
        self.select(index)
        self.page.keyboard.press("Control+Enter")
        prompt = self.cell(index).locator(".jp-InputArea-prompt").first
        expect(prompt).to_have_text(_NUMBERED)

    def source(self, index: int) -> str:
        """Return the source of a cell, as the notebook holds it."""
        text: str = self.page.evaluate(
            "i => window.jupyterapp.shell.currentWidget.content.widgets[i]"
            ".model.sharedModel.getSource()",
            index,
        )
        return text

    def start(self, index: int) -> None:
        """Run a code cell and see it begin."""
        self.select(index)
        # Not by the keyboard, whose focus may be elsewhere, and not awaited until it is done.
        self.page.evaluate(
            "() => { void window.jupyterapp.commands.execute('notebook:run-cell'); }"
        )
        expect(self.cell(index).locator(".jp-InputArea-prompt").first).to_have_text("[*]:")

    def on_sent(self, note: Callable[[str | bytes], None]) -> None:
        """Have every message that goes to a kernel from now on noted."""
        for socket in self.sockets:
            socket.on("framesent", note)

    def sent_from_now(self) -> list[str]:
        """Return the messages to kernels over links that are opened from now on, a growing list."""
        sent: list[str] = []

        def note(frame: str | bytes) -> None:
            sent.append(frame if isinstance(frame, str) else frame.decode(errors="replace"))

        def listen(socket: WebSocket) -> None:
            socket.on("framesent", note)

        self.page.on("websocket", listen)
        return sent

    def colours_of_graph(self) -> dict[str, int]:
        """How light the background and the edges of Netron's page are, 0 to 255."""
        # A moment before, the graph lies on the page that Netron greets with, which is grey.
        expect(self.netron.locator("body.default")).to_be_attached()
        # From outside: in its own page Netron takes away what a browser's driver evaluates with.
        styles = self.page.locator(".tf-Netron:visible iframe").evaluate(
            "frame => { const page = frame.contentDocument;"
            " return [getComputedStyle(page.body).backgroundColor,"
            " getComputedStyle(page.querySelector('.edge-path')).stroke]; }"
        )
        first = [int(re.findall(r"\d+", style)[0]) for style in styles]
        return {"background": first[0], "edge": first[1]}

    def expect_source(self, index: int, pattern: re.Pattern[str]) -> None:
        """Wait until the source of a cell, as it is drawn, has the pattern."""
        lines = self.cell(index).locator(".jp-InputArea-editor .cm-content")
        expect(lines).to_have_text(re.compile(pattern.pattern.replace("\\\n", "")))

    def selection(self, index: int) -> str:
        """Return the selected text in the editor of a cell."""
        text: str = self.page.evaluate(
            "i => { const editor = window.jupyterapp.shell.currentWidget.content.widgets[i].editor;"
            " const { start, end } = editor.getSelection();"
            " return editor.model.sharedModel.getSource()"
            ".slice(editor.getOffsetAt(start), editor.getOffsetAt(end)); }",
            index,
        )
        return text

    def shown_code(self) -> str:
        """Return the converted code in the panel, line by line."""
        return "\n".join(self.converted.locator(".cm-line").all_text_contents())

    def type_in(self, index: int, text: str) -> None:
        """Replace the text of a cell, by the keyboard."""
        editor = self.cell(index).locator(".jp-InputArea-editor .cm-content")
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def leave_kernels(self) -> None:
        """Shut down all kernels but one, and empty that one for the next notebook.

        It keeps the imported frameworks, which take long in a fresh one. A kernel of another folder
        or of another environment is not kept.
        """
        for session in self.server.api("sessions"):
            if session["id"] == self.server.spare:  # no notebook has taken it
                continue
            is_usable = "/" not in session["path"] and session["kernel"]["name"] == OWN_KERNEL
            if (
                is_usable
                and self.server.spare is None
                and self.page.evaluate(_EMPTY, session["kernel"])
            ):
                self.server.api(f"sessions/{session['id']}", "PATCH", {"path": "nowhere.ipynb"})
                self.server.spare = session["id"]
            else:
                self.server.api(f"sessions/{session['id']}", "DELETE")


_CLOSE = """() => {
    for (const widget of [...window.jupyterapp.shell.widgets('main')]) {
        if (widget.context) {
            widget.context.model.dirty = false;  // or it asks whether to save
        }
        widget.close();
    }
}"""
_IS_CLOSED = """() => [...window.jupyterapp.shell.widgets('main')]
    .every(widget => !widget.context && !widget.hasClass('tf-GraphTab'))"""
# Forgets names, history, magics and widgets; says whether that went well.
_FORGET = """
import sys
get_ipython().extension_manager.unload_extension("jupyter_ext")
if "ipywidgets" in sys.modules:
    sys.modules["ipywidgets"].Widget.close_all()
get_ipython().reset(new_session=True)
"""
_EMPTY = f"""async model => {{
    const kernel = window.jupyterapp.serviceManager.kernels.connectTo({{ model }});
    const done = kernel.requestExecute({{ code: {json.dumps(_FORGET)}, silent: true }}).done;
    const late = new Promise(resolve => setTimeout(resolve, 10_000));
    const reply = await Promise.race([done, late]);
    kernel.dispose();
    return reply?.content.status === 'ok';
}}"""
_ACTIVE = re.compile("jp-mod-active")
_NUMBERED = re.compile(r"\[\d+\]")
