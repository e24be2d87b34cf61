"""Helper functions in a user's file, which does not postpone its annotations."""

from __future__ import annotations

from importlib import import_module

import paddle

from workbench import targets


def test_every_helper_can_be_defined() -> None:
    library = targets.load("paddle").helpers
    names: dict[str, object] = {"paddle": paddle}
    for helper in library.closure(library):
        for each in helper.imports:
            module = import_module(each.module)
            plain = module if each.bound == each.module else import_module(each.module)
            names[each.bound] = getattr(module, each.name) if each.name else plain
        exec(compile(helper.source, helper.name, "exec", dont_inherit=True), names)
        assert helper.name in names
