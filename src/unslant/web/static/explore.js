// Choose vectors, a concept and a method, and watch the figures change.

import { ask, find, JobPlace, later, make, say } from "/parts.js";
import { empty, showLead, showResult } from "/results.js";
import { keepers } from "/keep.js";
import { markChoice, openMore, startChoices } from "/choices.js";
import { choose, keepState, noted } from "/state.js";
import { startPlaces, updatePlaces } from "/places.js";

const first = new JobPlace(find("explore-job"));
const full = new JobPlace(find("tables-job"));
let checks = 0;
let hasShown = false; // all of a look; a glance is no older than what follows it
let begun = ""; // what the page began with, as an address would say it

const chosen = () => ({ vectors: find("vectors").value, place: find("place").value, concept: find("concept").value });
const method = () => find("method").value.trim();
let applied = ""; // the method that the figures are of

export function startExploring(start) {
  find("method-list").append(...start.methods.flatMap((item) => {
    const button = make("button", { type: "button", textContent: item.name });
    button.addEventListener("click", () => add(item.name));
    return [make("dt", {}, button), make("dd", { textContent: item.summary })];
  }));
  find("methods").append(...start.methods.map((item) => make("option", { value: item.name })));
  startPlaces("vectors", "place"); // before others hear that the choice changed
  startChoices(start, apply);
  markChoice("");
  find("method").addEventListener("input", later(check, 150));
  find("explore-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await check()) update();
    else find("method").focus(); // the message below says what is wrong
  });
  for (const id of ["vectors", "place", "concept"]) find(id).addEventListener("change", update);
  find("measure-all").addEventListener("click", measureAll);
  begun = JSON.stringify(pairs());
  keepState("explore", { read: () => (JSON.stringify(pairs()) === begun ? [] : pairs()), write: restored });
}

const pairs = () => Object.entries({ ...chosen(), method: applied }).filter(([, value]) => value);

// What the address says, or what the page began with.
function restored(asked) {
  const wanted = asked.has("vectors") ? asked : new URLSearchParams(JSON.parse(begun));
  choose(find("vectors"), wanted.get("vectors"));
  updatePlaces("vectors", "place", wanted.get("place"));
  choose(find("concept"), wanted.get("concept"));
  find("method").value = wanted.get("method") ?? "";
  return update();
}

// Look at vectors that have just come.
export function explore(id) {
  choose(find("vectors"), id);
  updatePlaces("vectors", "place");
  find("method").value = "";
  return update();
}

// The page begins with one figure, drawn before the rest is measured.
export async function glance() {
  const place = find("explore-result");
  await first.runAndShow({ kind: "glance", ...chosen() }, (result) =>
    showResult(place, result, {
      waiting: "Measuring the bias…", tables: false, notes: false, figures: (all) => all.filter((figure) => figure.name !== result.lead).slice(0, 1),
    }));
  return update();
}

const saysOfChoice = () => find("choice-says").textContent;

function apply(expression) {
  find("method").value = expression;
  find("method-check").textContent = "";
  openMore(false);
  return update();
}

function add(name) {
  const field = find("method");
  field.value = method() ? `${method()} | ${name}` : name;
  field.focus();
  check();
}

// Whether the chain can run, while it is typed.
async function check() {
  const turn = ++checks;
  const place = find("method-check");
  if (!method()) {
    place.textContent = "";
    place.classList.remove("wrong");
    return true;
  }
  const asked = new URLSearchParams({ ...chosen(), method: method() });
  const found = await ask(`/api/check?${asked}`).catch((error) => error);
  const isWrong = found instanceof Error;
  if (turn === checks) {
    place.textContent = isWrong ? found.message : `Will run: ${found.runs}`;
    place.classList.toggle("wrong", isWrong);
  }
  return !isWrong;
}

async function update() {
  const chain = method();
  applied = chain;
  markChoice(chain);
  noted();
  const place = find("explore-result");
  place.classList.toggle("stale", hasShown);
  place.setAttribute("aria-busy", "true");
  find("keep").hidden = true;
  find("tables").hidden = true;
  await full.begin();
  const wanted = chain ? { kind: "debias", ...chosen(), method: chain } : { kind: "look", ...chosen() };
  const id = await first.runAndShow(wanted, (result) => showResult(place, result, { tables: false, about: saysOfChoice() }));
  if (id) {
    hasShown = true;
    if (chain === method()) find("method-check").textContent = ""; // it has run
    say(chain ? `Shown: before and after ${chain}.` : "Shown: the vectors as they are.");
    kept(id, chain);
    await tables(chain);
  } else if (!first.id) {
    place.classList.remove("stale");
    place.setAttribute("aria-busy", "false");
  }
}

async function tables(chain) {
  find("tables").hidden = false;
  empty(find("tables-result"));
  find("measure-all").hidden = Boolean(chain);
  find("tables-note").textContent = chain
    ? "The main measures before and after, each of another kind; quality too, where its data are here."
    : "Every measure of the concept, and quality where its data are here. This takes longer.";
  if (chain) await fullJob({ kind: "tables", ...chosen(), method: chain }, chain);
}

const measureAll = () => fullJob({ kind: "audit", ...chosen() }, "");

async function fullJob(wanted, chain) {
  const button = find("measure-all");
  button.disabled = true;
  const id = await full.runAndShow(wanted, async (result) => {
    const drawn = [...find("explore-result").querySelectorAll("figure.chart")].map((item) => item.dataset.name);
    await showLead(find("explore-result"), result, { about: saysOfChoice() }); // more is known: the verdict is that of the record that can be kept
    return showResult(find("tables-result"), { ...result, sentences: [] }, {
      figures: (all) => all.filter((figure) => figure.name !== result.lead && !drawn.includes(figure.name)),
    });
  });
  button.disabled = false;
  if (id) {
    kept(id, chain);
    say("The full tables are there.");
  }
}

function kept(id, chain) {
  find("keep").hidden = false;
  const isOfVectors = chain && !find("place").value; // a model is exported on the command line
  find("keepers").replaceChildren(keepers(id, isOfVectors ? { ...chosen(), method: chain } : null));
}
