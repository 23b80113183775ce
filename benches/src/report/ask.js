"use strict";
// Asks the advisor what the form says. The question stands in the address: it can be sent, and comes back.
const form = document.getElementById("ask"), answer = document.getElementById("answer");
// What is read aloud stays in its place; the rest of an answer is replaced.
const status = document.getElementById("status"), found = document.getElementById("found");
// The units of a field, each with its power of ten. Where "" is none of them, a number needs one.
const COUNT = { "": 0, k: 3, K: 3, M: 6, G: 9, thousand: 3, million: 6, billion: 9 };
const UNITS = {
  whole: COUNT,
  count: COUNT,
  percent: { "": -2, "%": -2 },
  time: { ns: 0, us: 3, µs: 3, ms: 6, s: 9 },
  size: { "": 0, B: 0, kB: 3, MB: 6, GB: 9, TB: 12, PB: 15 },
};
const BINARY = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const SUCH = { whole: "1,000,000 or 1e6", count: "10, 1.5 or 1e3", percent: "1, 0.1 or 1e-3", time: "500 ns, 20 µs or 5 ms", size: "8 B, 64 KiB or 1.5 GB" };
let advisor, told = "";

// A decimal number in text times a power of ten; exactly, if it is whole. What is too large stays text.
function scaled(text, power) {
  const [digits, exponent = 0] = text.toLowerCase().split("e"), [whole, part = ""] = digits.split(".");
  const places = Number(exponent) + power - part.length;
  if (places >= 0 && places < 30) return String(BigInt(whole + part) * 10n ** BigInt(places));
  const shifted = digits + "e" + (Number(exponent) + power);
  return Number.isFinite(Number(shifted)) ? String(Number(shifted)) : shifted;
}

// The plain number that a field's text means, or in words why it means none.
function read(text, kind) {
  const said = text.trim(), why = (text) => ({ why: `“${said}” ${text}` });
  const parts = said.replace(/[_\s]/g, "").replace(/μ/g, "µ").match(/^([0-9][0-9.,]*|[.,][0-9]+)(e[+-]?[0-9]+)?([a-zµ%]*)$/i);
  const [, base, power] = (kind === "whole" && said.match(/^([0-9]{1,4})\^([0-9]{1,2})$/)) || [];
  if (base) return { number: String(BigInt(base) ** BigInt(power)) };
  if (!parts) return why(`cannot be read: write ${SUCH[kind]}`);
  let [, digits, exponent = "", unit] = parts;
  if (kind === "size") unit = unit.replace(/^bytes?$/i, "B");
  const grouped = /^[1-9][0-9]{0,2}((,[0-9]{3})+(\.[0-9]+)?|(\.[0-9]{3}){2,})$/.test(digits), one = digits.split(/[.,]/).length === 2;
  // A comma or a point before three digits is a thousand to some, and a decimal to others.
  const unclear = one && /^[1-9][0-9]{0,2}[.,][0-9]{3}$/.test(digits) && digits.includes(UNITS[kind] === COUNT ? "." : ",");
  if (unclear) return why(`can be read in two ways: write ${digits.replace(/[.,]/, "")} or ${Number(digits.replace(",", "."))}`);
  if (grouped) digits = digits.replaceAll(digits.includes(",") ? "," : ".", "");
  else if (one) digits = digits.replace(",", ".");
  if (!/^[0-9]*\.?[0-9]*$/.test(digits)) return why(`cannot be read: write ${SUCH[kind]}`);
  const [binary] = Object.keys(BINARY).filter((known) => kind === "size" && known.toLowerCase() === unit.toLowerCase());
  if (binary) return { number: String(Number(digits + exponent) * BINARY[binary]) };
  const units = UNITS[kind], all = Object.keys(units).filter((known) => known && known !== "us");
  const either = (words) => words.join(", ").replace(/,([^,]*)$/, " or$1");
  // Of a single letter it matters whether it is a capital.
  const named = Object.keys(units).find((known) => known === unit || (known[1] && known.toLowerCase() === unit.toLowerCase()));
  if (named === undefined && !unit) return why(`has no unit: write ${either(all.map((known) => digits + " " + known))}`);
  if (named === undefined) return why(`has a unit that is not known here: write ${either(all)}`);
  return { number: scaled(digits + exponent, units[named]) };
}

// The words for what a link says: a number, plain or with a unit, in the largest unit that leaves 1 or more; other text as it
// is.
function written(text, kind) {
  const isPlain = /^([0-9]+\.?|[0-9]*\.[0-9]+)(e[+-]?[0-9]+)?$/i.test(text), number = isPlain ? scaled(text, 0) : read(text, kind).number;
  if (!number || !Number.isFinite(Number(number))) return text;
  if (UNITS[kind] === COUNT) return /^[0-9]+$/.test(number) ? BigInt(number).toLocaleString("en") : number;
  if (kind === "percent") return scaled(number, 2);
  const units = Object.entries(UNITS[kind]).filter(([unit]) => unit && unit !== "us");
  const binary = Object.entries(BINARY).filter(([, size]) => kind === "size" && number % 1000 && number % size === 0).pop();
  if (binary) return number / binary[1] + " " + binary[0];
  const all = units.map(([unit, power]) => [scaled(number, -power), unit]);
  const [value, unit] = all.reverse().find(([value]) => Number(value) >= 1) || all.pop();
  return value + " " + unit;
}

// The question that the form asks, in the options of the command; and in words what it says that cannot be read.
function formAsks() {
  const pairs = new Map(), unread = new Map();
  for (const field of form.elements) {
    const { name, value, type, dataset } = field;
    if (type === "checkbox") {
      if (field.checked) pairs.set(name, pairs.has(name) ? pairs.get(name) + "," + value : value);
    } else if (name === "flag" && value) {
      pairs.set(value, "");
    } else if (name && name !== "of" && name !== "flag" && value.trim()) {
      const { number, why } = dataset.unit ? read(value, dataset.unit) : { number: value };
      if (why) unread.set(field, why);
      // The blank says that this was typed, and is no plain number.
      pairs.set(name === "number" ? form.elements.of.value : name, number ?? encodeURIComponent(" " + value.trim()));
    }
  }
  return [pairs, unread];
}
const joined = (pairs) => [...pairs].map(([name, value]) => (value === "" ? name : name + "=" + value)).join("&");
const formQuestion = () => joined(formAsks()[0]);

// Text of a link; a percent sign may stand for itself.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Fills the form with a link's question. Returns what it then asks, with what it has no field for.
function fill(question) {
  // Links of earlier pages call the number of keys by another name.
  const named = (name) => (name === "at-most" ? "keys" : name);
  const said = new Map(question.split("&").map((pair) => pair.split(/=(.*)/s)).map(([name, value = ""]) => [named(name), decoded(value)]));
  const of = [...form.elements.of.options].map(({ value }) => value).find((name) => said.has(name));
  for (const field of form.elements) {
    const { name, type, dataset } = field, value = said.get(name === "number" ? of : name) || "";
    if (name === "of") field.value = of || field.value;
    else if (name === "flag") field.value = [...field.options].map(({ value }) => value).find((value) => said.has(value)) || "";
    else if (type === "checkbox") field.checked = value.split(",").includes(field.value);
    else if (name) field.value = dataset.unit ? written(value, dataset.unit) : value;
    const more = field.closest("details");
    if (more && (type === "checkbox" ? field.checked : value)) more.open = true;
  }
  const [pairs, unread] = formAsks();
  for (const [name, value] of said) {
    const isHeld = name === "need" ? value.split(",").every((need) => form.querySelector(`[value="${CSS.escape(need)}"]`)) : pairs.has(name);
    if (!isHeld && (value || !form.elements[name])) pairs.set(name, value);
  }
  return [pairs, unread];
}

// The advisor's answer, in lines of fields.
function asked(question) {
  try {
    const bytes = new TextEncoder().encode(question);
    const at = advisor.room(bytes.length);
    new Uint8Array(advisor.memory.buffer, at, bytes.length).set(bytes);
    const length = advisor.ask();
    return new TextDecoder().decode(new Uint8Array(advisor.memory.buffer, advisor.told(), length));
  } catch (error) {
    start();
    return "error\tthe advisor failed on this question: " + error;
  }
}
const lastAnswer = () => told;

const make = (name, text, ...inner) => {
  // A number and its unit stand in one line.
  const textContent = (text || "").replace(/(\d) (%|ns|bits|times)/g, "$1\u00a0$2");
  const made = Object.assign(document.createElement(name), { textContent });
  made.append(...inner);
  return made;
};
// As the library writes it.
const percent = (rate) => (rate > 0 && rate < 9.995e-7 ? Number(rate).toExponential(2) : short(rate * 100, 3) + "\u00a0%");
const short = (number, digits) => Number(Number(number).toPrecision(digits)).toLocaleString("en", { maximumFractionDigits: 12 });
function bytes(number) {
  const rounded = Number(Number(number).toPrecision(3));
  const [unit, power] = [["EB", 18], ["PB", 15], ["TB", 12], ["GB", 9], ["MB", 6], ["kB", 3]].find(([, power]) => rounded >= 10 ** power) || ["bytes", 0];
  return rounded === 1 ? "1 byte" : short(number / 10 ** power, 3) + " " + unit;
}

function card(isStatic, [id, name, use, bits, size, build, rate, grows, query, insert, total, mark, what, why], index) {
  const made = make("article");
  made.className = "card";
  made.dataset.id = id;
  made.append(make("h3", index + 1 + ". " + name));
  const numbers = make("ul");
  const say = (value, unit) => value && numbers.append(make("li", "", make("b", value), " " + unit));
  if (Number(size)) {
    say(short(bits, 3), grows ? "bits per key on average" : "bits per key");
    say(bytes(size), grows || (build !== size ? "(" + bytes(build) + " while it is built)" : ""));
    say(rate && percent(rate), "false positives");
  }
  say(query && mark + short(query, 2), "ns per query");
  say(insert && mark + short(insert, 2), isStatic ? "ns per key to build" : "ns to insert");
  say(total && mark + short(total, 3), "ns in all");
  made.append(numbers, make("p", what), make("p", why));
  if (use) made.append(make("code", use));
  return made;
}

// Marks these in the plots.
function light(ids) {
  for (const mark of document.querySelectorAll("[data-mark]")) mark.classList.toggle("lit", ids.includes(mark.dataset.mark));
  const ringed = document.getElementById("ringed");
  if (ringed) ringed.hidden = !document.querySelector(".lit");
}

// A field's name: the words around it.
function called(field) {
  const label = field.closest("label");
  return label ? [...label.childNodes].map((node) => (node === field ? "…" : node.textContent)).join("").trim() : field.ariaLabel;
}

// What the advisor refuses, in the words and the unit of the field; and the fields at fault.
function refusal([text, options = "", least, most, how], pairs) {
  const names = options ? options.split(",") : [], isAsked = ({ name, type }) => type === "checkbox" || name === "flag";
  const named = (field) => (isAsked(field) ? [field.value] : field.name === "number" ? ["number", form.elements.of.value] : [field.name]);
  const fields = [...form.elements].filter((field) => named(field).some((name) => names.includes(name)));
  const [field] = fields, value = Number(pairs.get(names[0]));
  if (!field || !how) return [text, fields];
  const [low, high] = [least, most].map((number) => written(number, field.dataset.unit));
  const wrong = value >= Number(most || Infinity) ? "too large" : least && value <= Number(least) ? "too small" : "no whole number";
  const range = how === "open" ? "more than " + low + (high && " and less than " + high) : how === "whole" ? "a whole number up to " + high : low + (high ? " to " + high : " or more");
  return [`in “${called(field)}”, “${field.value.trim()}” is ${wrong}${most || value < Infinity ? ": write " + range : ""}`, fields];
}

// A button that copies, where the browser lets it.
function copier(what, text) {
  if (!navigator.clipboard) return "";
  const button = make("button", "Copy the " + what);
  button.type = "button";
  button.addEventListener("click", () => navigator.clipboard.writeText(text()).then(() => (button.textContent = "Copied the " + what)));
  return button;
}

// Answers. What is wrong is marked and said, and leaves no answer.
function show([pairs, unread]) {
  told = unread.size ? "" : asked(joined(pairs));
  const lines = told.trimEnd().split("\n").map((line) => line.split("\t"));
  const of = (kind) => lines.filter((line) => line[0] === kind).map((line) => line.slice(1));
  const [error] = of("error"), choices = of("choice");
  const unclear = [[...unread].map(([field, why]) => `in “${called(field)}”, ${why}`).join("; "), [...unread.keys()]];
  const [wrong, fields] = error ? refusal(error, pairs) : unclear;
  for (const field of form.elements) fields.includes(field) ? field.setAttribute("aria-invalid", true) : field.removeAttribute("aria-invalid");
  light(choices.slice(0, 3).map(([id]) => id));
  found.replaceChildren();
  const name = ([, name]) => (/^[A-Z]|^no /.test(name) ? name : "a " + name);
  // The answer in a sentence.
  const sentence = (text) => text[0].toUpperCase() + text.slice(1).replace(/[^.?]$/, "$&.");
  status.textContent = wrong ? sentence(wrong) : "Take " + name(choices[0]) + (choices[1] ? "; next best: " + choices.slice(1, 3).map(name).join(", ") : "") + ".";
  if (!wrong) detail(pairs, choices, of("note"), of("out"));
  dispatchEvent(new Event("answered"));
}

function detail(pairs, choices, said, out) {
  const cards = make("div", "", ...choices.slice(0, 3).map((choice, index) => card(pairs.has("static"), choice, index)));
  cards.className = "three";
  found.append(cards);
  const total = choices.some(([, , , , , , , , , , total]) => total) ? "In all: a query, its share of inserting (and removing) keys, and what lookups and errors cost where they have a price. " : "";
  if (total) found.append(make("p", total));
  // What stands between backticks is code.
  const code = (text) => text.split("`").map((part, index) => make(index % 2 ? "code" : "span", part));
  const notes = make("ul", "", ...said.map(([note]) => make("li", "", ...code(note))));
  notes.className = "notes";
  found.append(notes);
  // In one size they differ by the rate.
  const rest = choices.slice(3, 5), isOneSize = new Set(choices.map(([, , , bits]) => short(bits, 2))).size === 1;
  const further = ([, name, , bits, , , rate, , , , total, mark]) =>
    name + " (" + (isOneSize ? percent(rate) : short(bits, 3) + " bits") + (total && ", " + mark + short(total, 3) + " ns") + ")";
  if (rest.length) found.append(make("p", "Further, best first, with " + (isOneSize ? "false positives" : "bits per key") + " and time in all: " + rest.map(further).join(", ") + "."));
  const demands = new Map();
  for (const [, name, demand, why] of out) demands.set(demand, [...(demands.get(demand) || []), [name, why]]);
  for (const [demand, all] of demands) {
    const whys = all.map(([name, why]) => make("li", "", make("b", name), " " + why));
    found.append(make("details", "", make("summary", all.length + " ruled out by " + demand + ": " + all.map(([name]) => name).join(", ")), make("ul", "", ...whys)));
  }
  const isTime = (name) => form.querySelector(`[name="${name}"][data-unit=time]`);
  const command = "amq choose" + [...pairs].map(([name, value]) => " --" + name + (value && " " + value) + (isTime(name) ? "ns" : "")).join("");
  const copiers = [copier("command", () => command), " ", copier("link to this question", () => location.href)];
  found.append(make("p", "The same by the command: ", make("code", command), " ", ...copiers));
}

// Answers the form; the address says what was asked.
function answerForm() {
  show(formAsks());
  history.replaceState(null, "", "#" + formQuestion());
}

function edited({ target }) {
  // A map and an exact set have no rate: beside them the one that the form begins with is not asked for.
  const [fpr, values, exact] = ["[name=fpr]", "[name=values]", "[value=exact]"].map((one) => form.querySelector(one));
  const [was, is] = values.value || exact.checked ? [fpr.defaultValue, ""] : ["", fpr.defaultValue];
  if ((target === values || target === exact) && fpr.value === was) fpr.value = is;
  answerForm();
}

// A link leads to a question, which is answered even if the form has no field for all of it; or to a section, which opens.
function follow() {
  const to = location.hash.slice(1), section = document.getElementById(decoded(to));
  if (to.includes("=")) {
    show(fill(to));
    status.scrollIntoView();
    return status.focus({ preventScroll: true });
  }
  if (section && section.tagName === "DETAILS") {
    section.open = true;
    section.scrollIntoView();
  } else if (to && !section) {
    found.replaceChildren();
    status.textContent = `This link cannot be read: “${decoded(to)}” is neither a question nor a section of this page.`;
    dispatchEvent(new Event("answered"));
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
    form.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("hashchange", follow);
    if (!location.hash.includes("=")) show(formAsks());
    follow();
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
