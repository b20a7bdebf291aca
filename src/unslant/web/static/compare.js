// Two to six spaces side by side; the page begins with the vectors as they are and three methods.

import { fill, find, JobPlace, make, say } from "/parts.js";
import { reveal, showResult } from "/results.js";
import { keepers } from "/keep.js";
import { choose, keepState, noted } from "/state.js";
import { onSubjects, pairs, subjects } from "/subjects.js";

const MOST = 6;
const job = new JobPlace(find("compare-job"));
const METHOD = { type: "text", maxLength: 400, spellcheck: false, autocapitalize: "off", placeholder: "as it is", className: "side-method" };
let count = 0;
let isAsked = false;

const rows = () => [...find("sides").children];
const sides = () => rows().map((row) => ({ vectors: row.querySelector("select").value, method: row.querySelector("input").value.trim() }));

export function startComparing(start) {
  const begin = () => put(usual(start.choices));
  begin();
  find("side-add").addEventListener("click", () => {
    const [{ vectors }] = sides();
    add(vectors, "").querySelector("input").focus();
    limits();
  });
  find("compare-form").addEventListener("submit", (event) => {
    event.preventDefault();
    isAsked = true;
    noted();
    update();
  });
  onSubjects(() => {
    if (!isAsked) begin();
    for (const select of find("sides").querySelectorAll("select")) {
      const before = select.value;
      fill(select, vectors(), before);
    }
  });
  keepState("compare", {
    read: () => (isAsked ? [["of", find("compare-concept").value], ["extent", find("compare-extent").value],
      ...sides().map((side) => ["side", `${side.vectors} ${side.method}`])] : []),
    write: (asked) => {
      const given = asked.getAll("side").slice(0, MOST).map((text) => [text.split(" ")[0], text.split(" ").slice(1).join(" ")]);
      isAsked = given.length > 1;
      if (!isAsked) return;
      choose(find("compare-concept"), asked.get("of"));
      choose(find("compare-extent"), asked.get("extent"));
      put(given);
      update();
    },
  });
}

// Several files are compared with each other, one with what the methods make of it.
function usual(choices) {
  const given = subjects().filter((item) => /^v[1-9]/.test(item.id));
  if (given.length > 1) return given.slice(0, MOST).map((item) => [item.id, ""]);
  const dropped = subjects().find((item) => item.id.startsWith("d"));
  const { id } = dropped ?? given[0] ?? { id: "v0" };
  return [[id, ""], ...choices.map((choice) => [id, choice.vectors])];
}

const vectors = () => pairs().filter(([id]) => !subjects().find((item) => item.id === id).places);

function put(given) {
  find("sides").replaceChildren();
  for (const [id, chain] of given) add(id, chain);
  limits();
}

function add(id, chain) {
  const number = ++count;
  const select = make("select", { id: `side-vectors-${number}` });
  fill(select, vectors(), id);
  const input = make("input", { ...METHOD, id: `side-method-${number}`, value: chain });
  input.setAttribute("list", "methods");
  const remove = make("button", { type: "button", textContent: "Remove", className: "side-remove" });
  const row = make("li", { className: "fields side" },
    make("label", { htmlFor: select.id }, make("span", { className: "label-text", textContent: "Vectors" }), select),
    make("label", { htmlFor: input.id, className: "grow" }, make("span", { className: "label-text", textContent: "Method (optional)" }), input), remove);
  remove.addEventListener("click", () => {
    row.remove();
    limits();
    find("side-add").focus();
  });
  find("sides").append(row);
  return row;
}

function limits() {
  const all = rows();
  all.forEach((row, place) => {
    row.querySelector(".side-remove").disabled = all.length <= 2;
    row.querySelector(".side-remove").setAttribute("aria-label", `Remove side ${place + 1}`);
  });
  find("side-add").disabled = all.length >= MOST;
}

async function update() {
  const place = find("compare-result");
  place.classList.add("stale");
  const id = await job.runAndShow({
    kind: "compare",
    concept: find("compare-concept").value,
    extent: find("compare-extent").value,
    sides: sides(),
  }, async (result, id) => {
    await showResult(place, result);
    place.append(keepers(id));
    reveal(place);
  });
  place.classList.remove("stale");
  if (id) say(`${sides().length} spaces are shown side by side.`);
}
