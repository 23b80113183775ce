"use strict";
(() => {
  const data = document.getElementById("choices"), box = document.getElementById("ask");
  if (!data || !box) return;
  const lines = data.textContent.split("\n").map((line) => line.split("\t"));
  const [sizes, targets, needs, costs, structures, reasons, answers] = lines;
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text || "" });
  const select = (label, values, words, start) => {
    const outer = make("label", label + " "), inner = make("select");
    values.forEach((value, i) => inner.add(new Option(words(value), i, false, value.split("|")[0] === start)));
    inner.onchange = show;
    outer.append(inner);
    box.append(outer);
    return inner;
  };
  const out = make("div");
  const target = (t) => t[0] === "r" ? "a rate of " + +(t.slice(1) * 100).toPrecision(3) + " %" : t.slice(1) + " bits a key";
  const n = select("keys", sizes, (k) => (+k).toLocaleString("en"), "1000000");
  const t = select("at", targets, target, "r0.01");
  const w = select("which", needs, (x) => x.split("|")[1] || x, "insert");
  const c = select("first", costs, (x) => x ? "time (a false positive costs " + x / 1000 + " µs)" : "memory", "");
  box.append(out);
  box.hidden = false;
  show();
  function show() {
    if (!out.isConnected) return;
    const row = lines[7 + t.value * sizes.length + +n.value];
    const answer = answers[row[w.value * costs.length + +c.value]] || "!";
    out.textContent = "";
    if (answer[0] === "!") return void out.append(make("p", "Nothing: " + (reasons[answer.slice(1)] || "not asked")));
    const list = make("ol");
    for (const choice of answer.split(";")) {
      const [s, bits, rate, ask, build, why] = choice.split(":");
      const [name, path] = structures[s].split("|");
      const item = make("li");
      const size = (bits * sizes[n.value] / 8).toLocaleString("en", { maximumSignificantDigits: 3 });
      item.append(make("b", name), ` ${bits} bits a key (${size} bytes), ${rate} %`
        + (ask ? `, ${ask} ns to ask` : "") + (build ? `, ${build} ns to build` : "") + ". " + (reasons[why] || "") + " ");
      if (path) item.append(make("code", "use " + path + ";"));
      list.append(item);
    }
    out.append(list, make("p", "If strangers choose the keys: build it with a secret seed (with_seed)."));
  }
})();
