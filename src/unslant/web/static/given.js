// The study or the records that the server was started with.

import { ask, fill, find, JobPlace, say } from "/parts.js";
import { showResult } from "/results.js";
import { keepers } from "/keep.js";

const job = new JobPlace(find("given-job"));

export function startGiven(start) {
  if (!start.given.length) return false;
  find("tab-given").hidden = false;
  find("tab-given").textContent = start.given[0].kind === "study" ? "Study" : "Record";
  fill(find("given-record"), start.given.map((item) => [item.id, `${item.name} (${item.kind})`]), start.given[0].id);
  find("given-record").addEventListener("change", update);
  find("cell-close").addEventListener("click", () => find("cell").close());
  update();
  return true;
}

async function update() {
  const id = find("given-record").value;
  const place = find("given-result");
  place.classList.add("stale");
  const done = await job.runAndShow({ kind: "record", record: id }, async (result, job) => {
    await showResult(place, result, { open: (cells) => open(id, cells) });
    place.append(keepers(job));
  });
  place.classList.remove("stale");
  if (done) say("The record is shown.");
}

// The records behind a number of the study: one, or one for each seed.
async function open(study, cells) {
  const found = await Promise.all(cells.map((cell) => ask(`/api/cells/${study}/${cell}`))).catch((error) => error);
  const isError = found instanceof Error;
  find("cell-title").textContent = cells.length === 1 ? `Cell ${cells[0].slice(0, 12)}` : `${cells.length} cells`;
  find("cell-text").textContent = isError ? found.message : found.map((item) => JSON.stringify(item, null, 1)).join("\n\n");
  find("cell").showModal();
}
