"""The git repository of a project: what it has, and the commits of a port."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from workbench import files
from workbench.errors import TorchferryError


class Repository:
    """The repository around a project's folder; paths are relative to the folder.

    Raises:
        TorchferryError: git is not installed, the folder is in no repository, or the repository has
            no commit.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        where = f"{folder}: a port is kept in git, and this is not a git repository; run git init"
        commit = "git add -A && git commit -m original"
        self.top = Path(self._text("rev-parse", "--show-toplevel", failed=where))
        self.prefix = self.folder.relative_to(self.top.resolve())
        no_commit = f"{folder}: the repository has no commit; run {commit}"
        self._text("rev-parse", "-q", "--verify", "HEAD", failed=no_commit)

    @property
    def work(self) -> Path:
        """The folder for what a port needs between its steps, outside the working tree."""
        place = Path(self._text("rev-parse", "--git-path", "torchferry"))
        name = "-".join(self.prefix.parts) or "project"
        return (self.folder / place).resolve() / name

    @property
    def head(self) -> str:
        """The last commit."""
        return self._text("rev-parse", "HEAD")

    @property
    def branch(self) -> str:
        """The current branch; empty if a commit is checked out."""
        return self._text("branch", "--show-current")

    def has_branch(self, name: str) -> bool:
        """Return whether there is a branch of this name."""
        return self._done("rev-parse", "-q", "--verify", f"refs/heads/{name}").returncode == 0

    def switch_to_new(self, name: str) -> None:
        """Make a branch and switch to it."""
        self._text("switch", "-q", "-c", name, failed=f"{name}: git cannot make this branch")

    def changed(self) -> list[str]:
        """Return the tracked files of the folder that differ from the last commit."""
        return self._names("diff", "--no-ext-diff", "--name-only", "--relative", "-z", "HEAD")

    def tracked(self) -> list[str]:
        """Return the files of the folder that git tracks."""
        return self._names("ls-files", "-z", "--cached")

    def blob(self, path: str, revision: str = "HEAD") -> str:
        """Return the object with a file's content in a commit; empty if it has no such file."""
        done = self._done("rev-parse", "-q", "--verify", f"{revision}:./{path}")
        return done.stdout.decode().strip() if done.returncode == 0 else ""

    def blob_of(self, path: str, data: bytes) -> str:
        """Return the name of the object that a file with this content has, without writing it."""
        return self._text("hash-object", "--stdin", f"--path={self._from_top(path)}", data=data)

    def content(self, blob: str, path: str) -> bytes:
        """Return an object as git would write it to a file of the working tree."""
        return self._run("cat-file", "--filters", f"--path={self._from_top(path)}", blob)

    def current(self, path: str) -> str:
        """Return the object that a file of the working tree would be; empty if there is none."""
        file = self.folder / path
        return self.blob_of(path, file.read_bytes()) if file.is_file() else ""

    def restore(self, paths: Sequence[str]) -> None:
        """Give files the content of the last commit; those that it lacks are removed."""
        for path in paths:
            if self.blob(path):
                self._run("checkout", "-q", "HEAD", "--", path)
            else:
                self._run("rm", "-q", "--cached", "--ignore-unmatch", "--", path)
                (self.folder / path).unlink(missing_ok=True)

    def commit(self, paths: Sequence[str], message: str) -> str:
        """Commit these files and nothing else; return the commit.

        Raises:
            TorchferryError: git refuses, for example because of a hook.
        """
        self.stage(paths)
        self._text("commit", "-q", "-F", "-", "--", *paths, data=message.encode())
        return self.head

    def commit_of(self, revision: str) -> str:
        """Return the commit that a revision names.

        Raises:
            TorchferryError: there is none.
        """
        failed = f"{revision}: git has no such commit, and it is no folder; fetch it first"
        return self._text("rev-parse", "-q", "--verify", f"{revision}^{{commit}}", failed=failed)

    def files_at(self, commit: str) -> list[str]:
        """Return the files of the folder in a commit."""
        return self._names("ls-tree", "-r", "-z", "--name-only", commit)

    def commit_of_folder(self, folder: Path, parent: str) -> str:
        """Return a commit with a folder's files in place of those of the project.

        Files of its parent stay where the folder has nothing: a package that is unpacked may lack
        the project's tests. The commit is on no branch, and is kept by a reference.
        """
        index = self.work / "index"
        index.parent.mkdir(parents=True, exist_ok=True)
        index.unlink(missing_ok=True)
        self._run("read-tree", parent, index=index)
        there = [file for file in files.walk(folder, lambda file, message: None) if file.is_file()]
        paths = [file.relative_to(folder).as_posix() for file in there]
        tops = {path.partition("/")[0] for path in paths if "/" in path}
        gone = [path for path in self.files_at(parent) if path.partition("/")[0] in tops]
        lines = [f"0 {'0' * 40}\t{self._from_top(path)}" for path in set(gone) - set(paths)]
        for path, file in zip(paths, there, strict=True):
            arguments = ("hash-object", "-w", "--stdin", f"--path={self._from_top(path)}")
            blob = self._text(*arguments, data=file.read_bytes())
            lines.append(f"100644 {blob}\t{self._from_top(path)}")
        self._run("update-index", "--index-info", data="\n".join(lines).encode(), index=index)
        tree = self._text("write-tree", index=index)
        commit = self._text("commit-tree", tree, "-p", parent, "-m", f"original in {folder.name}")
        self._run("update-ref", f"refs/torchferry/original/{commit[:12]}", commit)
        index.unlink(missing_ok=True)
        return commit

    def merged(
        self, place: Path, old: Path | None, new: Path, names: Sequence[str]
    ) -> tuple[bytes, int]:
        """Return a file merged with the change from `old` to `new`, and the number of conflicts."""
        empty = self.work / "empty"
        if old is None:
            files.write(empty, b"")
        labels = [word for name in names for word in ("-L", name)]
        sides = [str(place), str(old or empty), str(new)]
        done = self._done("merge-file", "-p", "--diff3", *labels, *sides)
        if done.returncode > 127 or done.returncode < 0:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise TorchferryError(f"{place}: git cannot merge it: {said}")
        return done.stdout, done.returncode

    def stage(self, paths: Sequence[str]) -> None:
        """Stage these files, and the removal of those that are gone."""
        present = [path for path in paths if (self.folder / path).exists()]
        if present:
            self._run("add", "--", *present)
        gone = [path for path in paths if path not in present]
        if gone:
            self._run("rm", "-q", "--cached", "--ignore-unmatch", "--", *gone)

    def trailers(self, *names: str) -> list[list[str]]:
        """Return each commit, the last first, with the values of these trailers or ""."""
        fields = "%x00".join(f"%(trailers:key={name},valueonly,separator=%x20)" for name in names)
        text = self._text("log", f"--format=%H%x00{fields}%x01")
        return [line.strip().split("\0") for line in text.split("\1") if line.strip()]

    def _from_top(self, path: str) -> str:
        return (self.prefix / path).as_posix()

    def _names(self, *arguments: str) -> list[str]:
        names = self._run(*arguments, "--", ".").decode("utf-8", "surrogateescape").split("\0")
        return [name for name in names if name]

    def _text(
        self,
        *arguments: str,
        data: bytes | None = None,
        failed: str = "",
        index: Path | None = None,
    ) -> str:
        text = self._run(*arguments, data=data, failed=failed, index=index)
        return text.decode("utf-8", "surrogateescape").strip()

    def _run(
        self,
        *arguments: str,
        data: bytes | None = None,
        failed: str = "",
        index: Path | None = None,
    ) -> bytes:
        done = self._done(*arguments, data=data, index=index)
        if done.returncode:
            said = " ".join(done.stderr.decode("utf-8", "replace").split())
            raise TorchferryError(failed or f"git {arguments[0]} failed: {said}")
        return done.stdout

    def _done(
        self, *arguments: str, data: bytes | None = None, index: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git in the folder, with another index if one is given."""
        environment = None if index is None else {**os.environ, "GIT_INDEX_FILE": str(index)}
        try:
            return subprocess.run(
                # A repository's own configuration may name a program that watches its files.
                ["git", "-C", str(self.folder), "-c", "core.fsmonitor=false", *arguments],
                input=data,
                env=environment,
                capture_output=True,
                check=False,
            )
        except FileNotFoundError as error:
            raise TorchferryError(
                f"{self.folder}: a port is kept in git, and git is not installed; install it"
            ) from error
