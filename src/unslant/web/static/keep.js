// What can be kept of a result: the report, the record and the debiased vectors.

import { JobPlace, make, say } from "/parts.js";

const FORMATS = [["safetensors", "safetensors (exact, loads at once)"], ["word2vec", "word2vec text (.vec)"]];
let count = 0;

// Buttons that make a file and then download it; `vectors` says of which vectors after which method.
export function keepers(id, vectors = null) {
  const number = ++count;
  const job = new JobPlace(make("div"));
  const link = make("p", { className: "link" });
  link.setAttribute("aria-live", "polite");
  const fetchFile = async (wanted, text) => {
    link.replaceChildren();
    const done = await job.run(wanted).catch(() => null);
    if (!done) return;
    const anchor = make("a", { href: `/api/jobs/${done.id}/file`, textContent: text, download: "" });
    link.replaceChildren(anchor);
    anchor.click();
    say("The file is ready.");
  };
  const report = make("button", { type: "button", className: "get-report", textContent: "Report (HTML)" });
  report.addEventListener("click", () => fetchFile({ kind: "report", of: id }, "The report again"));
  const record = make("a", { className: "get-record", href: `/api/jobs/${id}/record.json`, textContent: "Record (JSON)", download: "" });
  const row = make("div", { className: "fields keepers" }, report, record);
  if (vectors) {
    const format = make("select", { id: `format-${number}`, className: "format" },
      ...FORMATS.map(([value, text]) => make("option", { value, textContent: text })));
    const button = make("button", { type: "button", className: "get-file", textContent: "Debiased vectors" });
    button.addEventListener("click", () => fetchFile({ kind: "file", ...vectors, format: format.value }, "The vectors again"));
    row.append(make("label", { htmlFor: format.id, textContent: "Format of the vectors" }, format), button);
  }
  return make("div", { className: "keep" }, row, job.element, link);
}
