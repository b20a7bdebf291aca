// A file that is dropped onto the page, or chosen: sent to this machine's own server and read there.

import { NO_ANSWER, secret } from "/door.js";
import { ask, Cancelled, find, JobPlace, say } from "/parts.js";
import { setSubjects } from "/subjects.js";

const MOST_BYTES = 2 * 1024 ** 3; // the server takes no more
const job = new JobPlace(find("drop-job"));
let inside = 0; // how many elements the pointer is in: leaving one may mean entering another

const hasFile = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

// `opened` is called with what the server made of a file: { vectors: id } or { record: id }.
export function startDropping(opened) {
  find("open-file").addEventListener("click", () => find("file").click());
  find("file").addEventListener("change", () => {
    const [file] = find("file").files;
    if (file) take(file, opened);
    find("file").value = ""; // the same file may be chosen again
  });
  addEventListener("dragenter", (event) => hasFile(event) && show(++inside > 0));
  addEventListener("dragleave", (event) => hasFile(event) && show(--inside > 0));
  addEventListener("dragover", (event) => hasFile(event) && event.preventDefault());
  addEventListener("keydown", (event) => event.key === "Escape" && show(false));
  addEventListener("drop", (event) => {
    if (!hasFile(event)) return;
    event.preventDefault(); // or the browser would open it
    show(false);
    const { files } = event.dataTransfer;
    if (files.length === 1) take(files[0], opened);
    else job.told(new Error("Drop one file at a time."));
  });
}

function show(isOver) {
  if (!isOver) inside = 0;
  find("drop-here").hidden = !isOver;
}

async function take(file, opened) {
  const turn = await job.begin();
  try {
    if (!file.size) throw new Error(`${file.name} is empty, or a folder. Drop a file of vectors, or a record.`);
    if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 2 GB. Name it when you start the page: unslant serve FILE`);
    const done = await job.follow(await sent(file, turn), turn);
    const found = await ask(`/api/jobs/${done.id}/result`);
    const start = await ask("/api/start");
    setSubjects(start.vectors);
    say(`${file.name} is open.`);
    opened(found, start);
  } catch (error) {
    job.told(error, turn);
  }
}

// Send a file with progress and a button to cancel, which a plain fetch does not have.
function sent(file, turn) {
  const { text, bar, button } = job.show();
  text.textContent = `Handing ${file.name} to Unslant on this machine`;
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    button.onclick = () => request.abort();
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = event.loaded / event.total;
      if (turn !== job.turn) request.abort();
    });
    request.addEventListener("abort", () => failed(new Cancelled("Cancelled.")));
    request.addEventListener("error", () => failed(new Error(NO_ANSWER)));
    request.addEventListener("load", () => {
      const isJson = (request.getResponseHeader("content-type") || "").startsWith("application/json");
      const value = isJson ? JSON.parse(request.responseText) : { mistake: request.responseText.trim() };
      if (value.mistake) failed(new Error(value.mistake));
      else done(value);
    });
    request.open("POST", `/api/dropped?${new URLSearchParams({ name: file.name.slice(0, 120) })}`);
    for (const [name, value] of secret()) request.setRequestHeader(name, value);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.send(file);
  });
}
