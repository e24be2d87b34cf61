/**
 * The first code that a kernel runs. It takes the package from its installed location, and leaves
 * no name behind: a kernel searches the notebook's own folder before all others, so a `jupyter_ext`
 * in there would run otherwise. Any kernel has already loaded the modules that it imports.
 * `jupyter_ext/installed.py` handles later imports.
 */
const CODE = `
import os, sys
from importlib.machinery import PathFinder

here = os.path.realpath(os.getcwd())
path, kept, behind = sys.path, [], False
for place in path:
    if os.path.isabs(place) and (behind or os.path.realpath(place) != here):
        kept.append(place)
    behind = behind or os.path.basename(place) in ("site-packages", "dist-packages")
spec = PathFinder.find_spec("jupyter_ext", kept)
for finder in sys.meta_path:
    if spec is None and not (isinstance(finder, type) and issubclass(finder, PathFinder)):
        spec = finder.find_spec("jupyter_ext", None)
if spec is None:
    raise ModuleNotFoundError("jupyter_ext", name="jupyter_ext")
if "jupyter_ext" in sys.modules:
    there = getattr(sys.modules["jupyter_ext"], "__file__", None) or "an unknown location"
    if os.path.realpath(there) != os.path.realpath(spec.origin or ""):
        raise ImportError(
            "this kernel has imported another package called jupyter_ext, from " + there + ", so "
            "Torchferry does nothing here. Next step: rename that package, then restart the kernel"
        )
sys.path = kept
try:
    import jupyter_ext.installed
finally:
    sys.path = path
jupyter_ext.installed.load("jupyter_ext.panel").register()
`;

/** Has the kernel answer the panel. */
export const REGISTER = `exec(${JSON.stringify(CODE)}, {})`;

/** The panel's module in a kernel that has registered it. */
export const PANEL = `__import__('sys').modules['jupyter_ext.panel']`;
