"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("report");
const number = (value) => value.toLocaleString("en");
// A file's places are shown in portions: a page with all of a large file's would stall.
const PORTION = 200;

function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name === "class") made.className = value;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

// Text between backticks is code.
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

function bar(parts) {
  const shown = parts.filter(([, count]) => count > 0);
  return element("div", { class: "bar" }, ...shown.map(([kind, count]) => {
    const part = element("i", { class: kind });
    part.style.flexGrow = count;
    return part;
  }));
}

function head() {
  const left = data.uses - data.converted - data.ignored;
  const parts = [
    ["exact", data.converted - data.noted - data.caveats, "converted exactly"],
    ["noted", data.noted, "converted with a note"],
    ["caveat", data.caveats, "converted with a caveat"],
    ["left", left, "left unchanged"],
    ["ignored", data.ignored, "ignored by comments"],
  ];
  main.append(
    element("h1", {}, data.name),
    element("p", { class: "sub" }, `Converted to ${data.target}: `
      + `${number(data.converted_files)} ${data.converted_files === 1 ? "file" : "files"}, `
      + `${number(data.lines)} lines of code`),
  );
  if (!data.uses) {
    main.append(element("p", { class: "none" }, "There was no use of torch in it."));
    return;
  }
  main.append(
    element("div", { class: "share" }, element("b", {}, data.share),
      element("span", { class: "dim" }, `of ${number(data.uses)} uses of torch converted`)),
    bar(parts),
    element("ul", { class: "legend" }, ...parts.filter(([, count]) => count > 0).map(
      ([kind, count, text]) => element("li", {}, element("span", { class: `dot ${kind}` }),
        element("b", {}, number(count)), ` ${text}`))),
  );
}

function failures() {
  if (!data.failures.length) return;
  main.append(element("h2", {}, "Not converted"), ...data.failures.map(
    (file) => element("p", { class: "failure" }, file.message)));
}

function codes() {
  if (!data.codes.length) return;
  const most = Math.max(...data.codes.map((entry) => entry.count));
  main.append(element("h2", {}, "Findings by code"), element("table", { class: "codes" },
    element("tbody", {}, ...data.codes.map((entry) => {
      const meter = element("i", { class: `b${entry.level}` });
      meter.style.width = `${(100 * entry.count) / most}%`;
      return element("tr", {},
        element("td", { class: "count" }, number(entry.count)),
        element("td", {}, element("span", { class: `code s${entry.level}` }, entry.code), ...prose(entry.meaning)),
        element("td", { class: "meter" }, meter));
    }))));
}

// What of a line a finding is about, under its colour; the most severe one where several meet.
function marked(text, found) {
  const line = text.split("\n", 1)[0];
  const points = [...line];
  const level = new Array(points.length).fill(-1);
  for (const [, rank, , start, end] of found) {
    for (let at = start; at < (end < 0 ? points.length : end) && at < points.length; at++) {
      level[at] = Math.max(level[at], rank);
    }
  }
  const pre = element("pre");
  for (let at = 0; at < points.length;) {
    let stop = at;
    while (stop < points.length && level[stop] === level[at]) stop++;
    const piece = points.slice(at, stop).join("");
    pre.append(level[at] < 0 ? piece : element("mark", { class: `s${level[at]}` }, piece));
    at = stop;
  }
  pre.append(text.slice(line.length));
  return pre;
}

function changed(before, after) {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head
    && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const pre = element("pre", { class: "after" }, after.slice(0, head));
  const middle = after.slice(head, after.length - tail);
  if (middle) pre.append(element("mark", { class: "new" }, middle));
  pre.append(after.slice(after.length - tail));
  return pre;
}

function outdented(text) {
  const lines = text.split("\n");
  const depth = Math.min(...lines.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return Number.isFinite(depth) ? [lines.map((line) => line.slice(depth)).join("\n"), depth] : [text, 0];
}

function place([cell, line, before, after, found]) {
  const [old, depth] = outdented(before);
  const shifted = found.map(([code, level, message, start, end]) =>
    [code, level, message, Math.max(start - depth, 0), end < 0 ? end : end - depth]);
  const pair = element("div", { class: "pair" },
    element("span", { class: "at" }, cell ? `[${cell}]:${line}` : `${line}`), marked(old, shifted));
  if (before === after) pair.lastChild.className = "same";
  else pair.append(changed(old, outdented(after)[0]));
  return element("div", { class: "place" }, pair, element("ul", { class: "said" },
    ...found.map(([code, level, message]) => element("li", {},
      element("span", { class: `code s${level}` }, code), element("span", {}, ...prose(message))))));
}

const wanted = { text: "", levels: new Set([2, 3, 4]) };

function chosen(file) {
  const text = wanted.text;
  const inPath = file.path.toLowerCase().includes(text);
  const result = [];
  for (const [cell, line, before, after, found] of file.places) {
    const kept = found.filter(([code, level, message]) => wanted.levels.has(level)
      && (inPath || `${code} ${message}\n${before}\n${after}`.toLowerCase().includes(text)));
    if (kept.length) result.push([cell, line, before, after, kept]);
  }
  return result;
}

function section(file, places, open) {
  const left = file.uses - file.converted - file.ignored;
  const made = element("details", {}, element("summary", {},
    element("span", { class: "path" }, file.path),
    ...(file.uses ? [bar([["exact", file.converted], ["left", left], ["ignored", file.ignored]])] : []),
    element("span", { class: "of" }, file.uses ? `${number(file.converted)} of ${number(file.uses)}` : "")));
  let shown = 0;
  function more() {
    made.querySelector(".more")?.remove();
    const portion = places.slice(shown, shown + PORTION);
    shown += portion.length;
    made.append(...portion.map(place));
    if (shown < places.length) {
      made.append(element("button", { class: "more", type: "button", onclick: more },
        `${number(places.length - shown)} more`));
    }
  }
  made.addEventListener("toggle", () => { if (made.open && !shown) more(); });
  made.open = open;
  return made;
}

function listing() {
  if (!data.files.length) return;
  const list = element("div");
  const field = element("input", {
    type: "search", placeholder: "Search paths, code and messages", "aria-label": "Search",
    oninput: () => { wanted.text = field.value.trim().toLowerCase(); show(); },
  });
  const counts = data.levels.map((_, index) => data.files.reduce((sum, file) =>
    sum + file.places.reduce((inner, one) => inner + one[4].filter((f) => f[1] === index).length, 0), 0));
  const buttons = [4, 3, 2, 1, 0].filter((index) => counts[index]).map((index) => {
    const button = element("button", {
      type: "button", "aria-pressed": String(wanted.levels.has(index)),
      onclick: () => {
        if (!wanted.levels.delete(index)) wanted.levels.add(index);
        button.setAttribute("aria-pressed", String(wanted.levels.has(index)));
        show();
      },
    }, `${data.levels[index]} ${number(counts[index])}`);
    return button;
  });
  if (!counts[2] && !counts[3] && !counts[4]) {
    wanted.levels.add(0).add(1);
    buttons.forEach((button) => button.setAttribute("aria-pressed", "true"));
  }
  function show() {
    const found = data.files.map((file) => [file, chosen(file)]).filter(([, places]) => places.length);
    const worst = (file) => file.uses - file.converted - file.ignored;
    found.sort(([a], [b]) => worst(b) - worst(a) || (a.path < b.path ? -1 : 1));
    list.replaceChildren(...found.map(([file, places]) => section(file, places, found.length === 1)));
    if (!found.length) list.append(element("p", { class: "none" }, "Nothing matches."));
  }
  main.append(element("h2", {}, "Findings by file"),
    element("div", { class: "tools" }, field, ...buttons), list);
  show();
}

head();
failures();
codes();
listing();
main.append(element("footer", {}, `Torchferry ${data.version}, ${data.seconds} s`));
