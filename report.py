import sys, json, collections
rows = {}
for line in open(sys.argv[1]):
    r = json.loads(line); rows[(r["n"], r["style"])] = r
show = sys.argv[2:]
for style in ("plain", "exact"):
    mine = [r for r in rows.values() if r["style"] == style and r["outcome"] != "skipped"]
    c = collections.Counter(r["outcome"] for r in mine); n = max(len(mine), 1)
    al = sum(r.get("alarm", False) for r in mine if r["outcome"] == "same"); w = sum(r.get("warned", False) for r in mine if r["outcome"] == "same")
    print(style, n, {k: f"{v} ({v/n:.2%})" for k, v in c.items()}, f"alarms of same {al} ({al/max(c['same'],1):.1%}), warnings {w}")
    for r in mine:
        if r["outcome"] in show:
            print("--", r["n"], r["kind"], r["outcome"], r["detail"][:220] if "detail" in r else "", "|", [x[:130] for x in r.get("notes", [])][:4])
            print("    " + "\n    ".join(r["text"].split("settled\n\n")[1].strip().splitlines()[-9:]))
sk = {r["n"]: r for r in rows.values() if r["outcome"] == "skipped"}
print("skipped", len(sk), [(n, r["detail"][:80]) for n, r in sk.items()][:30])
if "ALARMS" in show:
    k = collections.Counter()
    for r in rows.values():
        if r["outcome"] == "same":
            for x in r["notes"]: k[(r["style"], x[:150])] += 1
    for a, b in k.most_common(60): print(b, a)
