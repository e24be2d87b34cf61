"""A share of a project's files, for several machines that check one each."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from workbench.errors import TorchferryError

_SHARE = re.compile(r"(\d{1,6})/(\d{1,6})$")


@dataclass(frozen=True, slots=True)
class Share:
    """The `number`-th, from 1, of so many shares."""

    number: int = 1
    of: int = 1

    def has(self, path: str) -> bool:
        """Return whether a file is in this share: it stays there when others come and go."""
        found = hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(found, "big") % self.of == self.number - 1


WHOLE = Share()


def share_of(text: str) -> Share:
    """Return the share that is written as `2/5`.

    Raises:
        TorchferryError: it is none.
    """
    match = _SHARE.match(text)
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= of:
        raise TorchferryError(
            f"--shard {text}: write the number of the part and of all parts, such as 2/5"
        )
    return Share(number, of)
