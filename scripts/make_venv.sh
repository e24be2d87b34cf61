#!/usr/bin/env bash
# Makes the virtual environment named by the argument with a Python that is new enough.
set -euo pipefail
venv=$1

python=
for name in "${PYTHON:-}" python3.11 python3.12 python3.13 python3 python; do
    [ -n "$name" ] || continue
    if "$name" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$name
        break
    fi
done
if [ -z "$python" ]; then
    echo "No Python 3.11 or newer was found. Install one (Debian: apt-get install python3.11" \
        "python3.11-venv), or name it: make PYTHON=/path/to/python3.11 …" >&2
    exit 1
fi

echo "Making $venv with $("$python" --version) …"
if ! "$python" -m venv "$venv"; then
    rm -rf "$venv"
    echo "\`$python -m venv\` failed. On Debian and Ubuntu the module is a package of its own:" \
        "apt-get install python3-venv" >&2
    exit 1
fi
