// One metric of the vectors, with parameters of one's own.

import { fill, find, JobPlace, make, say } from "/parts.js";
import { reveal, showResult } from "/results.js";
import { keepers } from "/keep.js";
import { choose, keepState, noted } from "/state.js";
import { startPlaces, updatePlaces } from "/places.js";

const job = new JobPlace(find("measure-job"));
const FIELDS = ["vectors", "place", "concept", "method", "name", "test", "given"];
let known = new Map();
let concepts = new Map();
let isAsked = false;

export function startMeasuring(start) {
  known = new Map(start.measures.map((item) => [item.name, item]));
  concepts = new Map(start.concepts.map((item) => [item.id, item]));
  fill(find("measure-name"), start.measures.map((item) => [item.name, item.name]), "weat");
  startPlaces("measure-vectors", "measure-place");
  find("measure-name").addEventListener("change", describe);
  find("measure-concept").addEventListener("change", describe);
  find("measure-form").addEventListener("submit", (event) => {
    event.preventDefault();
    isAsked = true;
    noted();
    update();
  });
  describe();
  keepState("measure", {
    read: () => (isAsked ? FIELDS.map((name) => [name, find(`measure-${name}`).value]).filter(([, value]) => value) : []),
    write: restored,
  });
}

function restored(asked) {
  isAsked = asked.has("name");
  if (!isAsked) return;
  for (const name of ["vectors", "concept", "name"]) choose(find(`measure-${name}`), asked.get(name));
  updatePlaces("measure-vectors", "measure-place", asked.get("place"));
  describe();
  choose(find("measure-test"), asked.get("test"));
  for (const name of ["method", "given"]) find(`measure-${name}`).value = asked.get(name) ?? "";
  update();
}

// What the chosen measure asks, the tests it can take and its parameters.
function describe() {
  const item = known.get(find("measure-name").value);
  const tests = concepts.get(find("measure-concept").value).tests;
  find("measure-says").textContent = item.summary;
  find("measure-test-label").hidden = item.takes !== "test";
  fill(find("measure-test"), tests.map((test) => [test, test]), tests[0]);
  showParameters("measure", item);
}

// The parameters of a measure, as terms with what they take.
export function showParameters(of, item) {
  find(`${of}-parameters`).replaceChildren(...item.parameters.flatMap((one) => [
    make("dt", { textContent: one.name }),
    make("dd", { textContent: `${one.takes} (default: ${one.default})` }),
  ]));
  find(`${of}-help`).hidden = !item.parameters.length;
}

async function update() {
  const place = find("measure-result");
  place.classList.add("stale");
  const id = await job.runAndShow({
    kind: "measure",
    vectors: find("measure-vectors").value,
    place: find("measure-place").value,
    concept: find("measure-concept").value,
    method: find("measure-method").value.trim(),
    name: find("measure-name").value,
    parameters: find("measure-given").value.trim(),
    test: find("measure-test").value || "",
  }, async (result, id) => {
    await showResult(place, result);
    place.append(keepers(id));
    reveal(place);
  });
  place.classList.remove("stale");
  if (id) say("The measurement is shown.");
}
