// Two spaces side by side.

import { find, JobPlace, say } from "/parts.js";
import { showResult } from "/results.js";
import { keepers } from "/keep.js";

const job = new JobPlace(find("compare-job"));

const side = (name) => ({ vectors: find(`${name}-vectors`).value, method: find(`${name}-method`).value.trim() });

export function startComparing(start) {
  if (start.vectors.length > 1) find("right-vectors").selectedIndex = find("left-vectors").selectedIndex === 0 ? 1 : 0;
  else find("right-method").value = "hard";
  find("compare-form").addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
}

async function update() {
  const place = find("compare-result");
  place.classList.add("stale");
  const id = await job.runAndShow({
    kind: "compare",
    concept: find("compare-concept").value,
    extent: find("compare-extent").value,
    left: side("left"),
    right: side("right"),
  }, async (result, id) => {
    await showResult(place, result);
    place.append(keepers(id));
  });
  place.classList.remove("stale");
  if (id) say("Both spaces are shown.");
}
