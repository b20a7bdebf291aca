// Words that are looked for in the charts and pinned: marked and named in every chart they are in.

import { find, make, say } from "/parts.js";
import { keepState, noted } from "/state.js";

const MOST = 12;
export const narrow = matchMedia("(max-width: 40rem)");
const finder = find("finder");
let pinned = [];
const watched = new Map(); // element of a chart -> what tells that it was drawn again

const wordAt = (node) => (node?.__data__?.tooltip ? node.__data__.datum?.word : undefined);
const wordOf = (mark) => String(wordAt(mark));
const marksIn = (live) => [...live.querySelectorAll("svg *")].filter((node) => wordAt(node) && node.__data__._svg === node);
const allWords = () => new Set([...document.querySelectorAll("main .live")].flatMap((live) => marksIn(live).map(wordOf)));

export function startPins() {
  find("find-form").addEventListener("submit", (event) => {
    event.preventDefault();
    search(find("find-word").value.trim());
  });
  find("find-word").addEventListener("input", offer);
  find("find-word").addEventListener("focus", offer);
  find("find-word").addEventListener("keydown", (event) => {
    if (event.key === "Escape") find("find-word").value = find("find-says").textContent = "";
  });
  document.addEventListener("click", (event) => {
    const word = wordAt(event.target.closest?.("main .live svg *"));
    if (word) toggle(String(word));
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches?.(".live")) return;
    const word = wordAt(event.target.querySelector(".marked"));
    if (word) toggle(String(word));
  });
  keepState("", {
    read: () => pinned.map((word) => ["pin", word]),
    write: (asked) => setPins(asked.getAll("pin")),
  });
}

function search(word) {
  if (!word) return;
  const words = allWords();
  const found = words.has(word) ? word : [...words].find((one) => one.toLowerCase() === word.toLowerCase());
  if (!found) {
    find("find-says").textContent = `“${word}” is in none of the charts here. “Your own words” takes any word.`;
    return;
  }
  find("find-word").value = "";
  if (pinned.includes(found)) find("find-says").textContent = `“${found}” is pinned already.`;
  else toggle(found);
  const mark = [...document.querySelectorAll("main section:not([hidden]) .live")].flatMap(marksIn).find((one) => wordOf(one) === found);
  mark?.scrollIntoView({ block: "nearest", inline: "center" });
}

function toggle(word) {
  const isNew = !pinned.includes(word);
  if (isNew && pinned.length >= MOST) {
    find("find-says").textContent = `${MOST} words are pinned. Remove one first.`;
    return;
  }
  setPins(isNew ? [...pinned, word] : pinned.filter((other) => other !== word));
  say(isNew ? `${word} is pinned.` : `${word} is not pinned any more.`);
  noted();
}

function setPins(words) {
  pinned = [...new Set(words)].slice(0, MOST);
  find("find-says").textContent = "";
  find("pinned").replaceChildren(...pinned.map((word) => {
    const button = make("button", { type: "button", className: "pin", textContent: word });
    button.setAttribute("aria-label", `Remove the pin of ${word}`);
    button.addEventListener("click", () => {
      toggle(word);
      (find("pinned").querySelector("button") ?? find("find-word")).focus();
    });
    return make("li", {}, button);
  }));
  drawPins();
}

// The words that begin as what is typed; of all, a list of hundreds would help nobody.
function offer() {
  const typed = find("find-word").value.trim().toLowerCase();
  const words = typed ? [...allWords()].filter((word) => word.toLowerCase().startsWith(typed)).sort().slice(0, 20) : [];
  find("chart-words").replaceChildren(...words.map((value) => make("option", { value })));
}

// Know when a chart is drawn, again too, as in another theme.
export function watch(live) {
  if (watched.has(live)) return;
  const observer = new MutationObserver(() => drawIn(live));
  observer.observe(live, { childList: true });
  watched.set(live, observer);
}

export function forget(live) {
  watched.get(live)?.disconnect();
  watched.delete(live);
}

export function drawPins() {
  for (const live of watched.keys()) drawIn(live);
}

function drawIn(live) {
  for (const old of live.querySelectorAll(".pin-label")) old.remove();
  for (const old of live.querySelectorAll(".pinned-mark, .pinned-text")) old.classList.remove("pinned-mark", "pinned-text");
  const svg = live.querySelector("svg");
  if (!svg || !pinned.length || !svg.getBoundingClientRect().width) return; // hidden: drawn when it is opened
  const marks = marksIn(live).filter((mark) => mark.tagName !== "text" && pinned.includes(wordOf(mark)));
  const texts = [...svg.querySelectorAll("text")].filter((text) => pinned.includes(text.textContent));
  for (const mark of marks) {
    mark.classList.add("pinned-mark");
    const own = texts.find((text) => text.textContent === wordOf(mark) && isBeside(text, mark));
    if (own) own.classList.add("pinned-text"); // the chart names it already
    else label(svg, mark);
  }
}

// A name in the same row as a bar, or close to a point.
function isBeside(text, mark) {
  const [one, other] = [text, mark].map((item) => item.getBoundingClientRect());
  const away = Math.abs((one.top + one.bottom - other.top - other.bottom) / 2);
  if (mark.__data__.mark.marktype !== "symbol") return away < one.height;
  return away < 2 * one.height && one.left < other.right + 24 && one.right > other.left - 24;
}

// The word beside its mark, on the side where there is room.
function label(svg, mark) {
  const matrix = svg.getScreenCTM().inverse();
  const box = mark.getBoundingClientRect();
  const [left, right] = [box.left, box.right].map((x) => new DOMPoint(x, box.top + box.height / 2).matrixTransform(matrix));
  const text = document.createElementNS(svg.namespaceURI, "text");
  const isRight = right.x + 90 < svg.viewBox.baseVal.width;
  text.textContent = wordOf(mark);
  text.setAttribute("class", "pin-label");
  text.setAttribute("x", isRight ? right.x + 4 : left.x - 4);
  text.setAttribute("y", right.y - 6);
  text.setAttribute("text-anchor", isRight ? "start" : "end");
  text.setAttribute("aria-hidden", "true");
  svg.append(text);
}

// What a result is made of, with the field to find words if it stood there before.
export function withFinder(place, parts) {
  if (!place.contains(finder)) return parts;
  const at = parts.findIndex((part) => part.matches("figure"));
  return at < 0 ? [...parts, finder] : parts.toSpliced(narrow.matches ? at + 1 : at, 0, finder);
}

// The field to find words stands above the first chart that has words; below it where a chart takes
// the whole screen.
export function finderIn(place) {
  if (place.id === "tables-result") return;
  const first = [...place.querySelectorAll("figure.chart")].find((figure) => marksIn(figure).length);
  if (first && !place.closest("section[role=tabpanel]").hidden) first[narrow.matches ? "after" : "before"](finder);
  finder.hidden = !document.querySelector("main section:not([hidden]) #finder");
  drawPins();
}
