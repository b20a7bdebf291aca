// Tables that can be sorted by any column and saved as CSV.
// Texts of others go into the page as text only.

import { make, saveAs, say } from "/parts.js";

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
const FORMULA = /^[=+\-@\t\r]/; // as core/visible.py has it
const NUMBER = /^[+\-−]?[\d,]*\.?\d+(e[+\-−]?\d+)?/i;
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

// The first number of a text as it is printed; null where there is none.
export function numberIn(text) {
  const found = NUMBER.exec(String(text).trim());
  return found ? Number(found[0].replaceAll("−", "-").replaceAll(",", "")) : null;
}

export function tableOf(table, options = {}) {
  const values = table.values ?? table.rows;
  const order = table.rows.map((_, place) => place);
  const body = make("tbody", {}, ...table.rows.map((row) => rowOf(table, row, options)));
  const lines = [...body.children];
  const heads = table.columns.map((column, place) => headOf(column, (head) => {
    const way = NEXT[head.getAttribute("aria-sort") ?? "none"];
    for (const other of heads) other.removeAttribute("aria-sort");
    if (way !== "none") head.setAttribute("aria-sort", way);
    order.sort(way === "none" ? (one, other) => one - other : by(table, values, place, way));
    body.append(...order.map((at) => lines[at]));
    say(way === "none" ? "In the first order again." : `Sorted by ${column.name}, ${way}.`);
  }));
  const save = make("button", { type: "button", className: "get-csv", textContent: "CSV" });
  save.setAttribute("aria-label", `Save the table “${table.title}” as CSV`);
  save.addEventListener("click", () => saveAs(new Blob([csv(table, order.map((at) => values[at]))], { type: "text/csv;charset=utf-8" }), `unslant-${slug(table.title)}.csv`));
  const caption = make("caption", {}, make("span", { textContent: table.title }));
  const scroll = make("div", { className: "wide", tabIndex: 0 }, make("table", {}, caption, make("thead", {}, make("tr", {}, ...heads)), body));
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", table.title);
  return make("div", { className: "sheet" }, save, scroll);
}

function headOf(column, sort) {
  const button = make("button", { type: "button", className: "sort", textContent: column.name });
  const head = make("th", { className: column.is_number ? "n" : "" }, button);
  head.scope = "col";
  button.addEventListener("click", () => sort(head));
  return head;
}

function rowOf(table, row, options) {
  return make("tr", {}, ...row.map((value, place) => {
    const cell = make(place === 0 ? "th" : "td", { className: table.columns[place].is_number ? "n" : "" });
    if (place === 0) cell.scope = "row";
    if (value && typeof value === "object") cell.append(linked(value, options));
    else cell.textContent = value;
    if (typeof value === "string" && value.startsWith("≠")) cell.classList.add("gone");
    if (typeof value === "string" && / (better|worse)$/.test(value)) cell.classList.add(value.split(" ").pop());
    return cell;
  }));
}

// What has no value comes last, whichever way.
function by(table, values, place, way) {
  const sign = way === "ascending" ? 1 : -1;
  const key = (at) => {
    const value = values[at][place];
    if (typeof value === "number" || !table.columns[place].is_number) return value;
    return value === null || value === "" ? null : numberIn(value);
  };
  return (one, other) => {
    const [a, b] = [key(one), key(other)];
    const [noA, noB] = [a, b].map((item) => item === null || item === undefined || item === "");
    if (noA || noB) return noA - noB || one - other;
    const found = typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b);
    return sign * found || one - other;
  };
}

function linked(value, options) {
  const button = make("button", { type: "button", textContent: value.text, title: "The record behind this number" });
  button.addEventListener("click", () => options.open(value.cells));
  return button;
}

// A cell that no spreadsheet takes for a formula; numbers stay numbers.
export function safeCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = String(value?.text ?? value);
  const plain = text.replaceAll("−", "-");
  if (/^-?\d[\d,]*\.?\d*(e[+-]?\d+)?$/i.test(plain)) return plain.replaceAll(",", "");
  return FORMULA.test(text) ? `'${text}` : text;
}

export function csv(table, rows) {
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = [table.columns.map((column) => column.name), ...rows];
  return lines.map((line) => line.map((value) => quoted(safeCell(value))).join(",")).join("\r\n") + "\r\n";
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 40) || "table";
