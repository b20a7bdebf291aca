// One measure of the vectors: any metric or probe that is installed.

import { fill, find, JobPlace, make, say } from "/parts.js";
import { showResult } from "/results.js";
import { keepers } from "/keep.js";

const job = new JobPlace(find("measure-job"));
let known = new Map();
let concepts = new Map();

export function startMeasuring(start) {
  known = new Map(start.measures.map((item) => [item.name, item]));
  concepts = new Map(start.concepts.map((item) => [item.id, item]));
  for (const [kind, title] of [["metric", "Metrics of the vectors"], ["probe", "Probes of a model"]]) {
    const group = make("optgroup", { label: title }, ...start.measures.filter((item) => item.kind === kind)
      .map((item) => make("option", { value: item.name, textContent: item.name })));
    if (group.children.length) find("measure-name").append(group);
  }
  find("measure-name").value = "weat";
  find("measure-name").addEventListener("change", describe);
  find("measure-concept").addEventListener("change", describe);
  find("measure-form").addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
  describe();
}

// What the chosen measure asks, the tests it can take and its parameters.
function describe() {
  const item = known.get(find("measure-name").value);
  const tests = concepts.get(find("measure-concept").value).tests;
  find("measure-says").textContent = item.summary;
  find("measure-test-label").hidden = item.takes !== "test";
  fill(find("measure-test"), tests.map((test) => [test, test]), tests[0]);
  find("measure-parameters").replaceChildren(...item.parameters.flatMap((one) => [
    make("dt", { textContent: one.name }),
    make("dd", { textContent: `${one.takes} (default: ${one.default})` }),
  ]));
  find("measure-help").hidden = !item.parameters.length;
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
  });
  place.classList.remove("stale");
  if (id) say("The measurement is shown.");
}
