"""A check whether advisory services know vulnerabilities of the dependencies.

    python scripts/audit.py

Python's dependencies are the packages installed for this Python, npm's those of the two lock
files. It needs a network: if a service cannot be reached, it fails with a message.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NPM = ("vscode-client", "jupyter_ext/labextension")


def main() -> int:
    """Audit everything; return 0 without a vulnerability, 1 with one, 2 without an answer."""
    return max(python(), *(npm(ROOT / folder) for folder in NPM))


def python() -> int:
    """Audit the installed Python packages, except ours."""
    command = [sys.executable, "-m", "pip_audit", "--skip-editable", "--format=json"]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return _no_answer("Python's packages", done.stderr)
    found = 0
    skipped = [one for one in answer["dependencies"] if "skip_reason" in one]
    asked = len(answer["dependencies"]) - len(skipped)
    if not asked:
        return _no_answer("Python's packages", skipped[0]["skip_reason"] if skipped else "")
    for package in answer["dependencies"]:
        for known in package.get("vulns", ()):
            found += 1
            mended = ", ".join(known["fix_versions"]) or "no version yet"
            print(f"{package['name']} {package['version']}: {known['id']}, mended in {mended}")
    print(f"Python's packages: {asked} audited, {found} vulnerabilities")
    for package in skipped:
        print(f"  not audited: {package['skip_reason']}")
    return 1 if found else 0


def npm(folder: Path) -> int:
    """Audit the packages that a folder's lock file names."""
    name = folder.relative_to(ROOT)
    tool = shutil.which("npm") or sys.exit("npm is not on the path; install Node 20 or newer")
    command = [tool, "audit", "--package-lock-only", "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return _no_answer(str(name), done.stderr)
    if "metadata" not in answer:
        return _no_answer(str(name), str(answer.get("message", "")))
    counts = answer["metadata"]["vulnerabilities"]
    print(f"{name}: {counts['total']} vulnerabilities")
    if counts["total"]:
        print(f"  npm audit --package-lock-only in {name} names them")
    return 1 if counts["total"] else 0


def _no_answer(what: str, output: str) -> int:
    lines = [line for line in output.splitlines() if line.strip()]
    print(
        f"{what}: not audited, since no answer came: {lines[-1] if lines else 'nothing was said'}"
    )
    print(
        "  The advisory service has to be reachable from here; the workflow audit.yml asks weekly."
    )
    return 2


if __name__ == "__main__":
    sys.exit(main())
