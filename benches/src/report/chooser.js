"use strict";
(() => {
  const data = document.getElementById("choices"), box = document.getElementById("ask");
  if (!data || !box) return;
  const { targets, keys, needs, costs, structures, reasons, choices, answers } = JSON.parse(data.textContent);
  const make = (name, text) => Object.assign(document.createElement(name), { textContent: text || "" });
  const select = (label, values, words, isStart) => {
    const outer = make("label", label + " "), inner = make("select");
    values.forEach((value, i) => inner.add(new Option(words(value), i, false, isStart(value))));
    inner.onchange = show;
    outer.append(inner);
    box.append(outer);
    return inner;
  };
  const out = make("div");
  const target = ([rate, bits]) => rate ? "a rate of " + +(rate * 100).toPrecision(3) + " %" : bits + " bits a key";
  const cost = (ns) => ns ? "time (a false positive costs " + ns / 1000 + " µs)" : "memory";
  const n = select("keys", keys, (k) => k.toLocaleString("en"), (k) => k === 1e6);
  const t = select("at", targets, target, ([rate]) => rate === 0.01);
  const w = select("which", needs, (need) => need[1], (need) => need[0] === "insert");
  const c = select("first", costs, cost, (ns) => ns === null);
  box.append(out);
  box.hidden = false;
  show();
  function show() {
    if (!out.isConnected) return;
    const answer = (answers[[t, n, w, c].map((part) => part.value)] || []).map((i) => choices[i]);
    out.textContent = "";
    if (!answer.length || answer[0][0] === null)
      return void out.append(make("p", "Nothing: " + (answer.length ? reasons[answer[0][5]] : "not asked") + "."));
    const list = make("ol");
    for (const [s, bits, rate, ask, build, why] of answer) {
      const [name, path] = structures[s];
      const item = make("li");
      const size = (bits * keys[n.value] / 8).toLocaleString("en", { maximumSignificantDigits: 3 });
      item.append(make("b", name), ` ${bits} bits a key (${size} bytes), ${rate} %`
        + (ask ? `, ${ask} ns to ask` : "") + (build ? `, ${build} ns to build` : "") + ". " + (reasons[why] || "") + " ");
      if (path) item.append(make("code", "use " + path + ";"));
      list.append(item);
    }
    out.append(list, make("p", "If strangers choose the keys: build it with a secret seed (with_seed)."));
  }
})();
