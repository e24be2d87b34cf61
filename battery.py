"""battery.py MODULE COUNT SEED PART/PARTS OUT : runs a battery in both styles."""
import sys, os, json, importlib; sys.path.insert(0, "/tmp/exact")
module, count, seed, out = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
from grammar import battery
snips = battery(importlib.import_module(module), count, seed)
if len(sys.argv) > 5 and sys.argv[5] == "list":
    print(len(snips)); print("\n----\n".join(t.split("settled\n\n")[1] for _, t in snips[:int(sys.argv[6])])); sys.exit()
done = {}
if os.path.exists(out):
    for line in open(out):
        r = json.loads(line); done[(r["n"], r["style"])] = r
pick = None if len(sys.argv) < 6 else {int(a) for a in sys.argv[5].split(",")}
from harness import run, attempt
with open(out, "a") as f:
    for n, (kind, text) in enumerate(snips):
        if pick is not None and n not in pick: continue
        todo = [s for s in ("plain", "exact") if (n, s) not in done]
        if not todo: continue
        first = run(text)
        for style in todo:
            f.write(json.dumps(dict(n=n, style=style, kind=kind, text=text, outcome="DIED")) + "\n"); f.flush()
            pos = f.tell()
            r = attempt(text, style, first)
            f.write(json.dumps(dict(n=n, style=style, kind=kind, text=text, **r)) + "\n"); f.flush()
