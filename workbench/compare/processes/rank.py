"""One process of a cell that runs on several: both sides of its rank.

A launcher started by `ranks.py` runs it, with the folder of the job as its argument.
"""

from __future__ import annotations

import os
import pickle
import sys
import types
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.compare.processes.ranks import Job


def main(folder: Path) -> None:
    """Run the job's cell as the rank given by the environment, and write the comparison."""
    from workbench.compare.cells.mirror import keep_source
    from workbench.compare.cells.options import Options
    from workbench.compare.cells.session import Session
    from workbench.compare.processes.ranks import ANSWER, JOB
    from workbench.processes import follow_parent
    from workbench.targets.bridge import load_bridge

    follow_parent()
    # The cell may import from the working folder, after everything that is installed.
    os.environ.pop("PYTHONSAFEPATH", None)
    sys.path.append(str(Path.cwd()))
    job: Job = pickle.loads((folder / JOB).read_bytes())
    bridge = load_bridge(job.target)
    if "RANK" in os.environ:
        rank, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        bridge.join_processes(rank, count, int(os.environ["MASTER_PORT"]))
    else:
        rank, count = bridge.launched()
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(count))
    # Classes of the notebook are pickled by their name in the main module.
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    names = vars(module)
    for number, text in enumerate(job.text):
        filename = f"<definition {number}>"
        keep_source(filename, text)
        exec(compile(text, filename, "exec", dont_inherit=True), names)
    names.update(pickle.loads(job.values))
    session = Session(
        names,
        job.target,
        earlier=lambda: job.text,
        rules=job.rules,
        style=job.style,
        init=job.init,
    )
    with redirect_stdout(StringIO()):
        comparison = session.run(job.source, filename=job.filename, options=Options(**job.options))
    for run in (comparison.torch, comparison.target):
        run.drop_values()
    comparison.findings = ()
    place = folder / ANSWER.format(rank)
    place.write_bytes(pickle.dumps(comparison))
    # Groups that the cell left open would be destroyed in an order that neither side supports.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
