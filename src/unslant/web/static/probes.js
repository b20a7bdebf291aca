// Questions put to a model, or to a model that reads the vectors: what bias does to answers.

import { ask, fill, find, JobPlace, say } from "/parts.js";
import { reveal, showResult } from "/results.js";
import { keepers } from "/keep.js";
import { showParameters } from "/measure.js";
import { choose, keepState, noted } from "/state.js";
import { subject } from "/subjects.js";
import { startPlaces, updatePlaces } from "/places.js";

const job = new JobPlace(find("probe-job"));
const FIELDS = ["vectors", "place", "concept", "method", "name", "set", "given"];
let known = null;
let isAsked = false;

export function startProbes() {
  startPlaces("probe-vectors", "probe-place");
  find("probe-vectors").addEventListener("change", offer);
  find("probe-name").addEventListener("change", describe);
  find("probe-method").addEventListener("input", debiased);
  find("probe-form").addEventListener("submit", (event) => {
    event.preventDefault();
    isAsked = true;
    noted();
    update();
  });
  keepState("probes", {
    read: () => (isAsked ? FIELDS.map((name) => [name, find(`probe-${name}`).value]).filter(([, value]) => value) : []),
    write: restored,
  });
}

// The list is asked for when it is first looked at: its sets take a moment to read.
export async function openProbes() {
  if (known) return;
  const { probes } = await ask("/api/probes");
  known = new Map(probes.map((item) => [item.name, item]));
  offer();
}

async function restored(asked) {
  await openProbes();
  isAsked = asked.has("name");
  if (!isAsked) return;
  choose(find("probe-vectors"), asked.get("vectors"));
  updatePlaces("probe-vectors", "probe-place", asked.get("place"));
  offer();
  choose(find("probe-name"), asked.get("name"));
  describe();
  choose(find("probe-set"), asked.get("set"));
  choose(find("probe-concept"), asked.get("concept"));
  for (const name of ["method", "given"]) find(`probe-${name}`).value = asked.get(name) ?? "";
  debiased();
  update();
}

// The probes that the chosen vectors or model can answer.
function offer() {
  if (!known) return;
  const id = find("probe-vectors").value;
  const isModel = Boolean(subject(id)?.places);
  const able = [...known.values()].filter((item) => (isModel ? item.models.includes(id) : item.vectors));
  const before = find("probe-name").value;
  const usual = able.some((item) => item.name === before) ? before : able.find((item) => item.name === "nli")?.name ?? able[0]?.name;
  fill(find("probe-name"), able.map((item) => [item.name, `${item.name}: ${item.summary}`]), usual);
  describe();
}

function describe() {
  const item = known.get(find("probe-name").value);
  find("probe-start").disabled = !item;
  find("probe-says").textContent = item ? "" : "No probe can be put to this.";
  find("probe-set-label").hidden = !item?.sets.length;
  fill(find("probe-set"), (item?.sets ?? []).map((name) => [name, name]), item?.sets.includes("marked-attribute") ? "marked-attribute" : item?.sets[0]);
  if (item) showParameters("probe", item);
  debiased();
}

function debiased() {
  find("probe-concept-label").hidden = !find("probe-method").value.trim();
}

async function update() {
  const place = find("probe-result");
  const item = known.get(find("probe-name").value);
  const set = item.sets.length ? [`${item.chooses}=${find("probe-set").value}`] : [];
  place.classList.add("stale");
  const id = await job.runAndShow({
    kind: "probe",
    vectors: find("probe-vectors").value,
    place: find("probe-place").value,
    concept: find("probe-concept").value,
    method: find("probe-method").value.trim(),
    name: item.name,
    parameters: [...set, find("probe-given").value.trim()].filter(Boolean).join(", "),
  }, async (result, id) => {
    await showResult(place, result);
    place.append(keepers(id));
    reveal(place);
  });
  place.classList.remove("stale");
  if (id) say("The answers are shown.");
}
