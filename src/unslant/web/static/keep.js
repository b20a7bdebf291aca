// What can be kept of a result: the report, the record and the debiased vectors.

import { download, JobPlace, make } from "/parts.js";

const FORMATS = [["safetensors", "safetensors (exact, loads at once)"], ["word2vec", "word2vec text (.vec)"]];
let count = 0;

// Buttons that make a file and then save it; `vectors` says of which vectors after which method.
export function keepers(id, vectors = null) {
  const number = ++count;
  const job = new JobPlace(make("div"));
  const save = (path) => download(path).catch((error) => job.told(error));
  const fetchFile = async (wanted) => {
    const done = await job.run(wanted).catch(() => null);
    if (done) await save(`/api/jobs/${done.id}/file`);
  };
  const report = make("button", { type: "button", className: "get-report", textContent: "Report (HTML)" });
  report.addEventListener("click", () => fetchFile({ kind: "report", of: id }));
  const record = make("button", { type: "button", className: "get-record", textContent: "Record (JSON)" });
  record.addEventListener("click", () => save(`/api/jobs/${id}/record.json`));
  const row = make("div", { className: "fields keepers" }, report, record);
  if (vectors) {
    const format = make("select", { id: `format-${number}`, className: "format" },
      ...FORMATS.map(([value, text]) => make("option", { value, textContent: text })));
    const button = make("button", { type: "button", className: "get-file", textContent: "Debiased vectors" });
    button.addEventListener("click", () => fetchFile({ kind: "file", ...vectors, format: format.value }));
    row.append(make("label", { htmlFor: format.id, textContent: "Format of the vectors" }, format), button);
  }
  return make("div", { className: "keep" }, row, job.element);
}
