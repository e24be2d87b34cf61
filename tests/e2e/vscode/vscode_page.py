"""Drives the workbench in a browser by what a user sees and presses.

The selectors are those of VS Code 1.139. Every wait is for something to show on the page.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import FrameLocator, Locator, Page, TimeoutError, expect

if TYPE_CHECKING:
    from collections.abc import Callable

STEP_MS = 30_000
START_MS = 90_000
_SOON_MS = 4_000
expect.set_options(timeout=STEP_MS)

# A moving progress bar is redrawn in each frame while something runs.
STILL = "*, *::before, *::after { animation: none !important; }"
_SHOWN_EDITOR = ':is(.editor-instance, .notebookOverlay:not([style*="visibility: hidden"]))'
_ACTIVE_TAB = ".editor-group-container.active .tab.active"


class Workbench:
    """One window of VS Code on one folder."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.within = Path()  # where in the folder the names of files begin
        page.set_default_timeout(STEP_MS)
        page.goto(address, wait_until="domcontentloaded")
        page.add_style_tag(content=STILL)
        page.locator(".monaco-workbench .part.statusbar").wait_for(timeout=START_MS)
        self.squiggles = page.locator(f'{_SHOWN_EDITOR} .monaco-editor .cdr[class*="squiggly-"]')
        self.lines = page.locator(".editor-group-container.active .monaco-editor .view-line")
        self.cells = page.locator(".notebookOverlay .monaco-list-row")
        self.hover_text = page.locator(".monaco-hover:visible")
        self.messages = page.locator(".notifications-toasts .notification-list-item-message")
        self.status = page.locator('[id$="torchferry"].statusbar-item, [id*="torchferry."]').first
        self._menu = page.locator(".action-widget .monaco-list-row.action")
        self._dirty = page.locator(f"{_ACTIVE_TAB}.dirty")

    # Quick input: files, commands, places

    def open_file(self, name: str) -> None:
        """Open a file of the folder by its path."""
        path = self.within / name
        label = path.name if path.parent == Path() else f"{path.name} {path.parent.as_posix()}"
        self._choose(path.as_posix(), label)
        self.page.locator(".quick-input-widget").wait_for(state="hidden")
        self.page.locator(f'{_ACTIVE_TAB}[data-resource-name="{path.name}"]').wait_for()
        if path.suffix != ".ipynb":  # takes no focus while its window is still loading
            self._leave_quick_input()

    def command(self, title: str, answer: str | None = None) -> None:
        """Run a command by the title that the palette shows; one that asks gets an answer."""
        if answer is None:
            self._choose(f">{title}", title)
        else:
            self.ask(title, answer)
        self._leave_quick_input()

    def ask(self, title: str, answer: str) -> None:
        """Run a command that asks for something and perhaps for more, and answer the first."""
        self._choose(f">{title}", title)
        box = self.page.locator(".quick-input-widget .quick-input-message")
        box.filter(has_text="Enter").wait_for()
        self.page.locator(".quick-input-widget .quick-input-box input").fill(answer)
        self.press("Enter")

    def pick(self, title: str, answer: str) -> None:
        """Run a command that offers a choice, and choose."""
        self._choose(f">{title}", title)
        rows = self.page.locator(".quick-input-widget .monaco-list-row")
        rows.filter(has=self.page.get_by_text(answer, exact=True)).click()
        self._leave_quick_input()

    def choices(self, title: str) -> Locator:
        """Run a command that offers a choice; its rows."""
        self._choose(f">{title}", title)
        return self.page.locator(".quick-input-widget .monaco-list-row")

    def side_view(self, title: str) -> Locator:
        """Open a view next to the editor and close the others, so it has all the room."""
        header = self.page.locator(".pane-header").filter(has_text=title)
        view = self.page.locator(".sidebar .pane").filter(has=header)
        header.wait_for()
        if header.get_attribute("aria-expanded") == "false":
            header.click()
        others = self.page.locator(".sidebar .pane-header.expanded").filter(has_not_text=title)
        while others.count():
            others.first.click()
        return view

    def tidy(self) -> None:
        """Close every message and every editor, what is not saved included."""
        for title in ("Notifications: Clear All Notifications", "View: Close All Editors"):
            self._choose(f">{title}", title)
            self.page.locator(".quick-input-widget").wait_for(state="hidden")
        self.page.wait_for_function(
            "() => !document.querySelector('.editor-group-container .tab')"
            " || document.querySelector('.monaco-dialog-box')",
            timeout=_SOON_MS,
        )
        unsaved = self.page.get_by_role("button", name="Don't Save")
        if unsaved.is_visible():
            unsaved.click()
        self.page.locator(".editor-group-container .tab").first.wait_for(
            state="detached", timeout=_SOON_MS
        )

    def save_as(self, title: str, pattern: re.Pattern[str]) -> None:
        """Run a command that asks for a file to write, and take the one that it proposes."""
        self._choose(f">{title}", title)
        expect(self.page.locator(".quick-input-widget input").first).to_have_value(pattern)
        self.press("Enter")

    def commands(self, prefix: str, known: str) -> list[str]:
        """Return the titles in the palette that begin so, once one that is known to be is there."""
        box = self.page.locator(".quick-input-widget .quick-input-box input")
        self.press("F1")
        box.fill(f">{prefix}")
        rows = self.page.locator(".quick-input-widget .monaco-list-row .label-name")
        rows.get_by_text(known).wait_for()
        titles = rows.all_inner_texts()
        self.press("Escape")
        return titles

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor somewhere, counted from 1 as the editor shows it."""
        label = f"Go to line {line}, column {column}. Press Enter to navigate."
        self._quick_input(f":{line}:{column}", label)
        place = self.page.locator('[id="status.editor.selection"]')
        expect(place).to_contain_text(f"Ln {line}, Col {column}", timeout=STEP_MS)

    def _quick_input(self, text: str, label: str) -> None:
        self._choose(text, label)
        self._leave_quick_input()

    def _choose(self, text: str, label: str) -> None:
        widget = self.page.locator(".quick-input-widget")
        box = widget.locator(".quick-input-box input")

        # Rows come late, and Enter does nothing before they have: click the one that is meant.
        row = f'.monaco-list-row:is([aria-label="{label}"], [aria-label^="{label}, "])'

        def choose() -> None:
            if not box.is_visible():
                self.page.keyboard.press("Control+P")
            box.fill("", timeout=_SOON_MS)  # a file that was just written takes a second search
            box.fill(text, timeout=_SOON_MS)
            widget.locator(row).first.click(timeout=2 * _SOON_MS)

        self.persist(choose)  # it may be about to close from the time before

    def _leave_quick_input(self) -> None:
        self.page.locator(".quick-input-widget").wait_for(state="hidden")
        # Until the focus is back in an editor, keys that are pressed get lost.
        self.page.wait_for_function(
            "() => document.activeElement !== document.body"
            " && !document.activeElement.closest('.quick-input-widget')"
        )

    def page_shown(self) -> FrameLocator:
        """Return the content of an extension's own page, inside its frames."""
        return self.page.frame_locator("iframe.webview.ready").frame_locator("#active-frame")

    # Menus of fixes

    def quick_fix(self, title: str) -> list[str]:
        """Take a fix at the cursor; the titles of all that were offered."""
        return self._pick(title, lambda: self.page.keyboard.press("Control+."))

    def source_action(self, title: str) -> list[str]:
        """Take an action on the whole file; the titles of all that were offered."""
        return self._pick(title, lambda: self.command("Source Action..."))

    def menu(self, title: str) -> list[str]:
        """Open the menu of fixes at the cursor, which has one of this title; all titles."""
        self._show(title, lambda: self.page.keyboard.press("Control+."))
        return [text.strip() for text in self._menu.all_inner_texts()]

    def _pick(self, title: str, show: Callable[[], None]) -> list[str]:
        row = self._show(title, show)
        titles = [text.strip() for text in self._menu.all_inner_texts()]
        row.click()
        row.wait_for(state="hidden")
        return titles

    def _show(self, title: str, show: Callable[[], None]) -> Locator:
        row = self._menu.filter(has_text=title).first

        def ask() -> None:
            if not self._menu.first.is_visible():
                show()
            row.wait_for(timeout=_SOON_MS)

        self.persist(ask)  # the menu closes where the focus moves just after it opened
        return row

    # Text

    def type(self, text: str) -> None:
        """Type at the cursor of the editor that has the focus."""
        self.page.keyboard.type(text)

    def write_line(self, line: int, text: str) -> None:
        """Type a line in front of another, again where the keys went to what had the focus."""
        written = self.lines.filter(has_text=text)
        for _ in range(3):
            self.go_to(line, 1)
            self.type(f"{text}\n")
            try:
                expect(written).to_have_count(1, timeout=_SOON_MS)
                return
            except AssertionError:
                continue

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def written(self, file: Path) -> str:
        """Return the text of a file that VS Code saves by itself, once it is there."""

        def read() -> None:
            if not (file.exists() and file.read_text()):
                self.page.wait_for_timeout(100)
                raise TimeoutError(f"{file} is not written")

        self.persist(read, times=STEP_MS // 100)
        return file.read_text()

    def save(self) -> None:
        """Save the active editor once it shows its unsaved mark.

        VS Code may save by itself what an edit of several files has changed.
        """

        def save() -> None:
            self.page.keyboard.press("Control+S")
            self._dirty.wait_for(state="detached", timeout=_SOON_MS)

        with contextlib.suppress(TimeoutError):
            self._dirty.wait_for(timeout=_SOON_MS)
        self.persist(save)  # the focus may still be in a menu that closes

    # Visible content

    def expect_squiggles(self, count: int, timeout: int = STEP_MS) -> None:
        expect(self.squiggles).to_have_count(count, timeout=timeout)

    def expect_any_squiggle(self, timeout: int = START_MS) -> None:
        self.squiggles.first.wait_for(timeout=timeout)

    def click_squiggle(self, number: int = 0) -> None:
        """Put the cursor into a squiggle, in a file or in a cell, once it has stopped moving."""
        squiggle = self.squiggles.nth(number)
        squiggle.scroll_into_view_if_needed()
        box = squiggle.bounding_box()
        assert box is not None
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def point_at_squiggle(self, number: int = 0) -> None:
        """Hold the mouse over a squiggle, and wait for what pops up."""

        def hover() -> None:
            box = self.squiggles.nth(number).bounding_box()
            assert box is not None
            self.page.mouse.move(0, 0)
            self.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            self.hover_text.first.wait_for(timeout=_SOON_MS)

        self.persist(hover)

    def problems(self) -> Locator:
        """Return the rows of the Problems panel, which is opened for it."""
        panel = self.page.locator(".markers-panel")
        if not panel.is_visible():
            self.page.keyboard.press("Control+Shift+M")
            panel.wait_for()
        return panel.locator('.monaco-list-row[aria-label*=" at line "]')

    @staticmethod
    def persist(step: Callable[[], None], times: int = 6) -> None:
        """Do a step that a moving focus can undo, until it holds."""
        for left in reversed(range(times)):
            try:
                return step()
            except TimeoutError:
                if not left:
                    raise
        return None
