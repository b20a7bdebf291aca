// Words and groups of one's own: association with an interval, at once.

import { find, JobPlace, later, make, say, send } from "/parts.js";
import { showResult } from "/results.js";
import { choose, keepState, noted } from "/state.js";

const MOST = 8;
const MOST_BYTES = 200_000; // the server reads a little more
const job = new JobPlace(find("own-job"));
let asked = 0;
let begun = "";
let named = 0;

const wordsOf = (text) => text.split(/[\s,;]+/).filter(Boolean);

export function startOwnWords(start) {
  const concept = start.concepts.find((item) => item.id === start.first.concept);
  const groups = Object.entries(concept.groups).slice(0, 2);
  find("own-words").value = (concept.neutral.length ? concept.neutral : ["nurse", "engineer"]).join("\n");
  for (const [name, words] of groups.length === 2 ? groups : [["first", []], ["second", []]]) addGroup(name, words);
  find("own-add").addEventListener("click", () => {
    addGroup(`group ${find("own-groups").children.length + 1}`, []).querySelector("textarea").focus();
    update();
  });
  find("own-words").addEventListener("input", soon);
  // Not while it is typed: what is half written may be the name of another method that takes long.
  for (const id of ["own-vectors", "own-method"]) find(id).addEventListener("change", soon);
  begun = JSON.stringify(pairs());
  keepState("own", { read: () => (JSON.stringify(pairs()) === begun ? [] : pairs()), write: restored });
}

const soon = later(() => {
  noted();
  update();
}, 250);

const groupsNow = () => [...find("own-groups").children].map((group) => ({
  name: group.querySelector("input").value,
  words: wordsOf(group.querySelector("textarea").value),
}));

const pairs = () => [
  ["vectors", find("own-vectors").value],
  ["method", find("own-method").value.trim()],
  ["words", wordsOf(find("own-words").value).join(" ")],
  ...groupsNow().map((group) => ["group", `${group.name}: ${group.words.join(" ")}`]),
];

function restored(asked) {
  const wanted = asked.has("words") ? asked : new URLSearchParams(JSON.parse(begun));
  choose(find("own-vectors"), wanted.get("vectors"));
  find("own-method").value = wanted.get("method") ?? "";
  find("own-words").value = wordsOf(wanted.get("words")).join("\n");
  const groups = wanted.getAll("group").slice(0, MOST);
  if (groups.length > 1) {
    find("own-groups").replaceChildren();
    for (const text of groups) {
      const [name, ...rest] = text.split(": ");
      addGroup(name, wordsOf(rest.join(": ")));
    }
  }
  return update();
}

function addGroup(name, words) {
  const number = ++named;
  const title = make("input", { className: "name", id: `group-name-${number}`, value: name, maxLength: 60 });
  const text = make("textarea", { id: `group-words-${number}`, rows: 5, value: words.join("\n"), spellcheck: false });
  const remove = make("button", { type: "button", textContent: "Remove" });
  const group = make("fieldset", { className: "group" },
    make("label", { htmlFor: title.id, textContent: "Name of the group" }, title),
    make("label", { htmlFor: text.id, textContent: "Its words" }, text), remove);
  title.addEventListener("input", soon);
  text.addEventListener("input", soon);
  remove.addEventListener("click", () => {
    group.remove();
    limits();
    soon();
  });
  find("own-groups").append(group);
  limits();
  return group;
}

function limits() {
  const groups = [...find("own-groups").children];
  for (const group of groups) group.querySelector("button").hidden = groups.length <= 2;
  find("own-add").disabled = groups.length >= MOST;
}

// Ask again with what stands in the fields; the last question asked is the one answered.
export async function update() {
  if (!named) return; // the page has not been told yet what there is
  const turn = ++asked;
  const wanted = {
    vectors: find("own-vectors").value,
    concept: find("concept").value,
    method: find("own-method").value.trim(),
    words: wordsOf(find("own-words").value),
    groups: groupsNow(),
  };
  const place = find("own-result");
  find("own-of").textContent = find("concept").selectedOptions[0]?.textContent ?? "";
  try {
    if (JSON.stringify(wanted).length > MOST_BYTES) throw new Error("That is too much text to ask about at once. Take fewer words.");
    let found = await send("/api/association", wanted);
    if (found.job) {
      place.classList.add("stale");
      await job.follow(found.job, await job.begin());
      if (turn !== asked) return;
      found = await send("/api/association", wanted);
    }
    if (turn !== asked || found.job) return;
    job.element.replaceChildren();
    find("own-missing").textContent = missing(found.missing);
    await showResult(place, found, { notes: "open" });
    say("The associations are updated.");
  } catch (error) {
    if (turn !== asked) return;
    place.classList.add("stale");
    find("own-missing").textContent = ""; // it was about other words
    job.told(error, undefined, { reveal: false });
  }
}

function missing(sets) {
  const parts = Object.entries(sets).map(([name, words]) => `${words.join(", ")} (${name === "words" ? "your words" : name})`);
  return parts.length ? `Not in the vectors, and left out: ${parts.join("; ")}.` : "";
}
