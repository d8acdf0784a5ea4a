"use strict";
// Rows sort by a column when its heading is pressed: by the value of the cell, else by its text.
for (const title of document.querySelectorAll("table.sortable .sorts")) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...title.childNodes);
  title.replaceWith(button);
  button.addEventListener("click", () => {
    const heading = button.parentElement, body = heading.closest("table").tBodies[0];
    const place = heading.cellIndex, ascending = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
    const key = (row) => {
      const cell = row.cells[place], value = cell.dataset.value;
      return value === undefined ? cell.textContent.trim() : Number(value);
    };
    const order = (a, b) =>
      typeof a === "number" && typeof b === "number"
        ? a - b
        : String(a).localeCompare(String(b), "en", { numeric: true });
    const rows = [...body.rows].sort((a, b) => order(key(a), key(b)));
    body.append(...(ascending ? rows : rows.reverse()));
  });
}
// What is to be copied is marked where the clipboard cannot be reached.
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.parentElement.firstElementChild;
    getSelection().selectAllChildren(text);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Selected: press Ctrl+C";
    }
  });
}
// A link into a part that is folded opens it; so does printing.
const open = () => document.getElementById(location.hash.slice(1))?.closest("details")?.setAttribute("open", "");
addEventListener("hashchange", open);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));
open();
