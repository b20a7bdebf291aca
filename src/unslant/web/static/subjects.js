// What can be measured: the vectors and models that the server has, and what was dropped here.

import { fill, find } from "/parts.js";

let known = [];
const changed = [];

export const subjects = () => known;
export const subject = (id) => known.find((item) => item.id === id);
export const named = (item) => (item.name === item.note ? item.name : `${item.name} (${item.note})`);
export const pairs = () => known.map((item) => [item.id, named(item)]);

// A list of all of them, which stays up to date; `chosen` is what it begins with.
export function listSubjects(id, chosen) {
  fill(find(id), pairs(), chosen);
  changed.push(() => {
    const before = find(id).value;
    fill(find(id), pairs(), subject(before) ? before : known[0].id);
  });
}

export function onSubjects(work) {
  changed.push(work);
}

export function setSubjects(items) {
  known = items;
  for (const work of changed) work();
}
