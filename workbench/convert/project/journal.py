"""A record of the files that conversions wrote to an output folder, used by the next run.

Each file's result is noted as soon as it is written, so an interrupted run continues where it
stopped. After a complete run, only the digests of the written files are kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

from workbench import files
from workbench.convert.project.file_job import Done
from workbench.errors import TorchferryError
from workbench.importing import RECORD


class Journal:
    """The record of one output folder."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / RECORD
        self.written: dict[str, str] = {}
        self.earlier: dict[str, tuple[str, dict[str, Any]]] = {}
        self._stream: TextIO | None = None
        self._read()

    @property
    def interrupted(self) -> bool:
        """Return whether the last run into this folder did not end."""
        return bool(self.earlier)

    def _read(self) -> None:
        try:
            text = self._file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return
        except (OSError, UnicodeDecodeError) as error:
            raise TorchferryError(
                f"{self._file}: {error}; remove this file, then try again"
            ) from error
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                self.written[entry["path"]] = entry["written"]
                if "result" in entry:
                    self.earlier[entry["path"]] = (entry["read"], entry["result"])
            except (ValueError, KeyError, TypeError):
                continue  # the line that an interrupted run was writing

    def begin(self) -> None:
        """Start noting.

        Raises:
            TorchferryError: the folder cannot be written to.
        """
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            if self._file.is_symlink():
                raise TorchferryError(
                    f"{self._file} is a link to {self._file.readlink()}; remove it, then try again"
                )
            if self.interrupted:
                files.remove_unfinished(self._file.parent)
            self._stream = self._file.open("a", encoding="utf-8")
        except OSError as error:
            raise TorchferryError(
                f"{error.filename or self._file}: {error.strerror}; give another folder with -o"
            ) from error

    def note(self, done: Done) -> None:
        """Note one file that was written."""
        if self._stream is None or not done.written:
            return
        path = done.result.path
        self.written[path] = done.written
        entry: dict[str, Any] = {"path": path, "written": done.written}
        if done.read:
            entry |= {"read": done.read, "result": done.result.as_json()}
        self._stream.write(f"\n{json.dumps(entry)}")
        self._stream.flush()

    def close(self) -> None:
        """Stop noting, with the work not done."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def finish(self) -> None:
        """Keep only the record of the written files, by path, at the end of a run."""
        self.close()
        entries = sorted(self.written.items())
        lines = [json.dumps({"path": path, "written": digest}) for path, digest in entries]
        files.write(self._file, "\n".join([*lines, ""]).encode())
