"""The folders that a client lets the server read, and files named below them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from mcp.server.mcpserver import Context, ListRoots, Resolve
from mcp_types import ListRootsResult
from pydantic import FileUrl

from workbench import files
from workbench.errors import TorchferryError


class Roots:
    """Folders; nothing outside them is read or written."""

    def __init__(self, folders: Iterable[Path]) -> None:
        self.folders = [folder.resolve() for folder in folders]

    def path(self, text: str) -> Path:
        """Return a path as the client writes it: absolute, or below one of the roots.

        Raises:
            TorchferryError: it lies outside the roots, or there are none.
        """
        if not self.folders:
            raise TorchferryError(
                "the client gives no folder to work in; start the server as torchferry mcp --root"
                " FOLDER"
            )
        places = [(folder / text).resolve() for folder in self.folders]
        inside = [place for place in places if self.holds(place)]
        if not inside:
            raise TorchferryError(f"{text}: outside {self}; give a file below it")
        return next((place for place in inside if place.exists()), inside[0])

    def existing(self, text: str) -> Path:
        """Return a file or a folder that is there, and leads nowhere else.

        Raises:
            TorchferryError: it is outside the roots, is not there, or a link in it leads outside.
        """
        place = self.path(text)
        if not place.exists():
            raise TorchferryError(f"{text}: no such file or folder below {self}; check the path")
        if place.is_dir():
            for file in files.walk(place, lambda path, message: None):
                if not self.holds(file.resolve()):
                    raise TorchferryError(f"{file}: a link to a location outside {self}; remove it")
        return place

    def holds(self, place: Path) -> bool:
        """Return whether a resolved path lies in one of the roots."""
        return any(place.is_relative_to(folder) for folder in self.folders)

    def near(self, result: dict[str, Any]) -> dict[str, Any]:
        """Return a result with its paths as the client writes them, where there is but one root."""
        return {key: self._near(value) for key, value in result.items()}

    def _near(self, value: Any) -> Any:
        if isinstance(value, dict):
            return self.near(value)
        if isinstance(value, list | tuple):
            return [self._near(item) for item in value]
        if isinstance(value, str) and len(self.folders) == 1:
            return value.replace(f"{self.folders[0]}/", "")
        return value

    def __str__(self) -> str:
        return ", ".join(str(folder) for folder in self.folders)


def _asked(context: Context[Any, Any]) -> ListRoots | ListRootsResult:
    given = context.request_context.lifespan_context
    if given:
        return ListRootsResult.model_validate(
            {"roots": [{"uri": FileUrl(folder.resolve().as_uri())} for folder in given]}
        )
    capabilities = context.client_capabilities
    if capabilities is not None and capabilities.roots is not None:
        return ListRoots()
    return ListRootsResult(roots=[])


def _roots(answer: Annotated[ListRootsResult, Resolve(_asked)]) -> Roots:
    return Roots(Path(url2pathname(unquote(urlsplit(str(r.uri)).path))) for r in answer.roots)


# The roots of a call: those of the command line, else those that the client sends.
Given = Annotated[Roots, Resolve(_roots)]
