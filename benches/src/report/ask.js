"use strict";
// Asks the advisor what the form says. The question stands in the address: it can be sent, and comes back.
const form = document.getElementById("ask"), answer = document.getElementById("answer");
// What is read aloud stays in its place; the rest of an answer is replaced.
const found = document.getElementById("found");
// The units of a field, each with its power of ten. Where "" is none of them, a number needs one.
const UNITS = {
  count: { "": 0, k: 3, M: 6, G: 9, thousand: 3, million: 6, billion: 9 },
  percent: { "": -2, "%": -2 },
  time: { ns: 0, us: 3, µs: 3, ms: 6, s: 9 },
  size: { B: 0, kB: 3, MB: 6, GB: 9, TB: 12 },
};
const BINARY = { kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30, tib: 2 ** 40 };
const SUCH = { count: "1,000,000, 1e6 or 1.5", percent: "1, 0.1 or 1e-3", time: "500 ns, 20 µs or 5 ms", size: "8 B, 64 KiB or 1.5 GB" };
const status = document.getElementById("status");
let advisor, told = "";

// A decimal number in text times a power of ten, exactly.
function scaled(text, power) {
  const [digits, exponent] = text.toLowerCase().split("e");
  return String(Number(digits + "e" + (Number(exponent || 0) + power)));
}

// The plain number that a field means, or in words why it means none.
function read(field) {
  const { unit: kind } = field.dataset, said = field.value.trim(), why = (text) => ({ why: `“${said}” ${text}` });
  const parts = said.replace(/[_\s]/g, "").replace(/µ|μ/g, "µ").match(/^([0-9][0-9.,]*|[.,][0-9]+)(e[+-]?[0-9]+)?([a-zµ%]*)$/i);
  if (!parts) return why(`cannot be read: write ${SUCH[kind]}`);
  let [, digits, exponent = "", unit] = parts;
  const grouped = /^[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?$/.test(digits), one = digits.split(/[.,]/).length === 2;
  // A comma or a point before three digits is a thousand to some, and a decimal to others.
  const unclear = one && /^[1-9][0-9]{0,2}[.,][0-9]{3}$/.test(digits) && digits.includes(kind === "count" ? "." : ",");
  if (unclear) return why(`can be read in two ways: write ${digits.replace(/[.,]/, "")} or ${Number(digits.replace(",", "."))}`);
  if (grouped) digits = digits.replaceAll(",", "");
  else if (one) digits = digits.replace(",", ".");
  if (!/^[0-9]*\.?[0-9]*$/.test(digits)) return why(`cannot be read: write ${SUCH[kind]}`);
  const binary = kind === "size" && BINARY[unit.toLowerCase()];
  if (binary) return { number: String(Number(digits + exponent) * binary) };
  const units = UNITS[kind], all = Object.keys(units).filter((known) => known !== "us");
  const named = Object.keys(units).find((known) => known.toLowerCase() === unit.toLowerCase());
  if (named === undefined && !unit) return why(`has no unit: write ${all.map((known) => digits + " " + known).join(", ").replace(/,([^,]*)$/, " or$1")}`);
  if (named === undefined) return why(`has a unit that is not known here: write ${SUCH[kind]}`);
  return { number: scaled(digits + exponent, units[named]) };
}

// The words for a plain number: in the largest unit that leaves 1 or more. What is no number stays as it is.
function written(number, kind) {
  if (!number || Number.isNaN(Number(number))) return number;
  if (kind === "count") return /e|\./.test(number) ? number : Number(number).toLocaleString("en");
  if (kind === "percent") return scaled(number, 2);
  const units = Object.entries(UNITS[kind]).filter(([unit]) => unit !== "us");
  const all = units.map(([unit, power]) => [scaled(number, -power), unit]);
  const [value, unit] = all.reverse().find(([value]) => Number(value) >= 1) || all.pop();
  return value + " " + unit;
}

// The question that the form asks, in the options of the command; and in words what it says that cannot be read.
function formAsks() {
  const pairs = new Map(), unread = [];
  for (const field of form.elements) {
    if (!field.name) continue;
    const { name, value, type } = field;
    if (type === "checkbox") {
      if (field.checked) pairs.set(name, pairs.has(name) ? pairs.get(name) + "," + value : value);
    } else if (field.dataset.unit) {
      const { number, why } = value.trim() ? read(field) : {};
      field.setAttribute("aria-invalid", why !== undefined);
      if (why) unread.push(`In “${field.getAttribute("aria-label") || field.closest("label").textContent.trim().replace(/\s{2,}/g, " … ")}” ${why}.`);
      if (number) pairs.set(name === "number" ? form.elements.of.value : name, number);
    } else if (name === "flag" ? value : name !== "of" && value) {
      pairs.set(...(name === "flag" ? [value, ""] : [name, value]));
    }
  }
  return [[...pairs].map(([name, value]) => (value === "" ? name : name + "=" + value)).join("&"), unread];
}
const formQuestion = () => formAsks()[0];

// Fills the form with a question; whether it is one.
function fill(question) {
  const pairs = new Map(question.split("&").map((pair) => pair.split("=")).map(([name, value]) => [name, value || ""]));
  const of = ["keys", "at-most", "unknown-from"].find((name) => pairs.has(name));
  if (!of) return false;
  for (const field of form.elements) {
    const { name, type } = field;
    if (name === "of") field.value = of;
    else if (name === "number") field.value = written(pairs.get(of), "count");
    else if (name === "flag") field.value = [...field.options].map(({ value }) => value).find((value) => pairs.has(value)) || "";
    else if (type === "checkbox") field.checked = (pairs.get(name) || "").split(",").includes(field.value);
    else if (field.dataset.unit) field.value = pairs.has(name) ? written(pairs.get(name), field.dataset.unit) : "";
    else if (name) field.value = pairs.get(name) || "";
    const more = field.closest("details");
    if (more && (type === "checkbox" ? field.checked : pairs.has(name))) more.open = true;
  }
  return true;
}

// The advisor's answer, in lines of fields.
function asked(question) {
  const bytes = new TextEncoder().encode(question);
  const at = advisor.room(bytes.length);
  new Uint8Array(advisor.memory.buffer, at, bytes.length).set(bytes);
  const length = advisor.ask();
  return new TextDecoder().decode(new Uint8Array(advisor.memory.buffer, advisor.told(), length));
}
const lastAnswer = () => told;

const make = (name, text, ...inner) => {
  // A number and its unit stand in one line.
  const textContent = (text || "").replace(/(\d) (%|ns|bits|times)/g, "$1\u00a0$2");
  const made = Object.assign(document.createElement(name), { textContent });
  made.append(...inner);
  return made;
};
const short = (number, digits) => Number(Number(number).toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 12 });
function bytes(number) {
  const [unit, power] = [["GB", 9], ["MB", 6], ["kB", 3], ["bytes", 0]].find(([, power]) => number >= 10 ** power) || ["bytes", 0];
  return short(number / 10 ** power, 3) + " " + unit;
}

function card([id, name, type, use, bits, size, build, rate, query, insert, total, mark, what, why], index) {
  const made = make("article");
  made.className = "card";
  made.dataset.id = id;
  made.append(make("h3", index + 1 + ". " + (type || name)));
  const numbers = make("ul");
  const say = (value, unit) => value && numbers.append(make("li", "", make("b", value), " " + unit));
  if (type) {
    say(short(bits, 3), "bits per key");
    say(bytes(size), build !== size ? "(" + bytes(build) + " while it is built)" : "");
    say(rate && short(rate * 100, 3) + " %", "false positives");
  }
  say(query && mark + short(query, 2), "ns per query");
  say(insert && mark + short(insert, 2), "ns to insert");
  made.append(numbers, make("p", what), make("p", why));
  if (use) made.append(make("code", use));
  return made;
}

// Marks these in the plots.
function light(ids) {
  for (const mark of document.querySelectorAll("[data-mark]")) mark.classList.toggle("lit", ids.includes(mark.dataset.mark));
}

// What the form says cannot be asked as it stands: no other question is answered in its place.
function refuse(unread) {
  told = "";
  found.replaceChildren();
  status.textContent = "No answer. " + unread.join(" ");
  light([]);
}

function show(question) {
  told = asked(question);
  const lines = told.trimEnd().split("\n").map((line) => line.split("\t"));
  const of = (kind) => lines.filter((line) => line[0] === kind).map((line) => line.slice(1));
  const choices = of("choice"), cards = make("div", "", ...choices.slice(0, 3).map(card));
  cards.className = "three";
  found.replaceChildren(cards);
  // The answer in a sentence.
  const [first] = choices, [error] = of("error");
  status.textContent = error ? "No answer: " + error[0].replace(/[^.?]$/, "$&.") : "Take " + (first[2] || "no filter") + (choices[1] ? "; next best: " + choices.slice(1, 3).map(([, name]) => name).join(", ") : "") + ".";
  // What stands between backticks is code.
  const code = (text) => text.split("`").map((part, index) => make(index % 2 ? "code" : "span", part));
  const notes = of("note").map(([note]) => make("li", "", ...code(note))), list = make("ul", "", ...notes);
  list.className = "notes";
  if (notes.length) found.append(list);
  const rest = choices.slice(3).map(([, name, , , bits]) => name + " (" + short(bits, 3) + ")");
  if (rest.length) found.append(make("p", "Further, with bits per key: " + rest.join(", ") + "."));
  const demands = new Map();
  for (const [, name, demand, why] of of("out")) demands.set(demand, [...(demands.get(demand) || []), [name, why]]);
  for (const [demand, all] of demands) {
    const whys = all.map(([name, why]) => make("li", "", make("b", name), " " + why));
    found.append(make("details", "", make("summary", all.length + " ruled out by " + demand + ": " + all.map(([name]) => name).join(", ")), make("ul", "", ...whys)));
  }
  const times = { "false-positive": "ns", lookup: "ns", "bit-price": "ns" };
  const options = question.split("&").map((pair) => pair.split("=")).map(([name, value]) => " --" + name + (value ? " " + value + (times[name] || "") : ""));
  found.append(make("p", "The same by the command: ", make("code", "amq choose" + options.join(""))));
  light(choices.slice(0, 3).map(([id]) => id));
}

// Answers a question, or else what the form asks.
function update(question) {
  const [form, unread] = formAsks();
  try {
    if (question === undefined && unread.length) refuse(unread);
    else show(question ?? form);
  } catch (error) {
    found.replaceChildren();
    status.textContent = "The advisor failed on this question: " + error;
    start();
  }
  dispatchEvent(new Event("answered"));
}

function edited({ target }) {
  // A map and an exact set have no rate: beside them the one that the form begins with is not asked for.
  const [fpr, values, exact] = ["[name=fpr]", "[name=values]", "[value=exact]"].map((one) => form.querySelector(one));
  const [was, is] = values.value || exact.checked ? [fpr.defaultValue, ""] : ["", fpr.defaultValue];
  if ((target === values || target === exact) && fpr.value === was) fpr.value = is;
  const [question, unread] = formAsks();
  if (!unread.length) history.replaceState(null, "", "#" + question);
  update();
}

// A number that was read is written as it was read.
function settled({ target }) {
  const { number } = (target.dataset.unit && target.value.trim() && read(target)) || {};
  if (number) target.value = written(number, target.dataset.unit);
}

// A link leads to a question, which is answered even if the form has no field for all of it; or to a section, which opens.
function follow() {
  const to = decodeURIComponent(location.hash.slice(1));
  if (fill(to)) return update(to);
  const section = to && document.getElementById(to);
  if (section && section.tagName === "DETAILS") {
    section.open = true;
    section.scrollIntoView();
  }
}

async function start() {
  const packed = Uint8Array.from(atob(document.getElementById("advisor").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { instance } = await WebAssembly.instantiate(await new Response(stream).arrayBuffer());
  advisor = instance.exports;
}

if (form && typeof WebAssembly === "object" && typeof DecompressionStream === "function") {
  start().then(() => {
    form.hidden = answer.hidden = false;
    form.addEventListener("input", edited);
    form.addEventListener("change", settled);
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", follow);
    follow();
    if (!told) update();
  });
}
// A mark that is pointed at or reached by the keyboard says its name and its numbers below the plot.
for (const kind of ["pointerover", "focusin"]) addEventListener(kind, ({ target }) => {
  const mark = target.closest && target.closest("[data-mark]");
  if (mark) mark.closest("figure").querySelector(".hovered").textContent = mark.querySelector("title").textContent;
});

// Of a plot's marks one is a tab stop; arrow keys lead from it to the others, by size.
for (const plot of document.querySelectorAll("figure svg")) {
  const marks = [...plot.querySelectorAll("[data-mark]")];
  marks.forEach((mark, index) => mark.setAttribute("tabindex", index ? "-1" : "0"));
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step || !marks.includes(document.activeElement)) return;
    event.preventDefault();
    const left = (mark) => mark.getBoundingClientRect().left;
    marks.sort((a, b) => left(a) - left(b));
    const at = marks.indexOf(document.activeElement), next = marks[(at + step + marks.length) % marks.length];
    marks[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

// What is folded away is printed, too.
addEventListener("beforeprint", () => document.querySelectorAll("details:not([open])").forEach((part) => {
  part.open = true;
  part.dataset.printed = "";
}));
addEventListener("afterprint", () => document.querySelectorAll("details[data-printed]").forEach((part) => {
  part.open = false;
  delete part.dataset.printed;
}));
