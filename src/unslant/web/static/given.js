// The study or the records that the server was started with.

import { ask, fill, find, JobPlace, say } from "/parts.js";
import { showResult } from "/results.js";
import { keepers } from "/keep.js";
import { choose, keepState, noted } from "/state.js";

const job = new JobPlace(find("given-job"));

export function startGiven(start) {
  find("given-record").addEventListener("change", () => {
    noted();
    update();
  });
  find("cell-close").addEventListener("click", () => find("cell").close());
  keepState("given", {
    read: () => [["record", find("given-record").value]],
    write: (asked) => {
      choose(find("given-record"), asked.get("record"));
      return update();
    },
  });
  return list(start.given);
}

function list(given, chosen = given[0]?.id) {
  if (!given.length) return false;
  find("tab-given").hidden = false;
  find("tab-given").textContent = given[0].kind === "study" ? "Study" : "Record";
  fill(find("given-record"), given.map((item) => [item.id, `${item.name} (${item.kind})`]), chosen);
  return true;
}

// Show a record that has just come.
export function showGiven(start, id) {
  list(start.given, id);
  return update();
}

export async function update() {
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
