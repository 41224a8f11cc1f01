// Sorts tables by their columns, and narrows galleries. Without it both are whole and in their own order.
// Tells the theme's copy buttons apart for screen readers.
(() => {
  "use strict";

  const value = (row, column) => {
    const cell = row.cells[column];
    if (!cell || cell.colSpan > 1) return "";
    return cell.hasAttribute("data-v") ? cell.dataset.v : cell.textContent.trim();
  };

  const compare = (a, b) => {
    const [x, y] = [Number(a), Number(b)];
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b, "en", { numeric: true }) : x - y;
  };

  // Rows move within their group; blanks stay last both ways; equal rows keep their first order.
  const sortGroup = (body, column, sign) => {
    const rows = [...body.rows].filter((row) => !row.classList.contains("lb-group"));
    rows.forEach((row, place) => (row.dataset.place ??= place));
    const keyed = rows.map((row) => [value(row, column), Number(row.dataset.place), row]);
    keyed.sort(([a, i], [b, j]) => (a === "") - (b === "") || sign * compare(a, b) || i - j);
    body.append(...keyed.map(([, , row]) => row));
  };

  // The column each header cell stands over, spans in both directions counted.
  const places = (head) => {
    const taken = [];
    const found = new Map();
    [...head.rows].forEach((row, y) => {
      let x = 0;
      for (const cell of row.cells) {
        while (taken[y]?.[x]) x += 1;
        found.set(cell, x);
        for (let down = y; down < y + cell.rowSpan; down += 1) {
          for (let right = x; right < x + cell.colSpan; right += 1) (taken[down] ??= [])[right] = true;
        }
      }
    });
    return found;
  };

  const prepare = (table) => {
    const columns = places(table.tHead);
    const heads = [...columns.keys()].filter((cell) => cell.dataset.first);
    for (const head of heads) {
      const label = head.querySelector(".lb-th");
      const button = document.createElement("button");
      button.type = "button";
      button.className = "lb-th";
      button.title = label.title || "Sort by this column";
      button.append(...label.childNodes);
      label.replaceWith(button);
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const other = now === "ascending" ? "descending" : "ascending";
        const order = now ? other : head.dataset.first;
        heads.forEach((each) => each.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        [...table.tBodies].forEach((body) => sortGroup(body, columns.get(head), sign));
      });
    }
  };

  document.querySelectorAll("table[data-lb-sort]").forEach(prepare);

  // Pictures that the choices leave out are hidden, with rows and columns that hold no other.
  const narrow = (gallery) => {
    const form = gallery.querySelector(".lb-filters");
    const chooser = gallery.querySelector(".lb-chooser");
    const boxes = [...(chooser?.querySelectorAll("input") ?? [])];
    const shots = [...gallery.querySelectorAll("[data-lb-shot]")];
    const show = () => {
      const wanted = [...form.querySelectorAll("select")].filter((select) => select.value);
      const left = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
      gallery.querySelectorAll("[data-entry]").forEach((cell) => (cell.hidden = left.has(cell.dataset.entry)));
      let count = 0;
      for (const shot of shots) {
        const fits = wanted.every((select) => shot.dataset[select.name] === select.value);
        shot.classList.toggle("lb-off", !fits);
        if (fits && !shot.hidden) count += 1;
      }
      gallery.querySelectorAll("tbody tr").forEach((row) => {
        row.hidden = !row.querySelector("[data-lb-shot]:not(.lb-off, [hidden])");
      });
      form.querySelector("output").textContent = `${count} ${count === 1 ? "picture" : "pictures"}`;
      if (chooser) {
        chooser.querySelector("summary").textContent = `Entries shown: ${boxes.length - left.size} of ${boxes.length}`;
      }
    };
    form.hidden = false;
    if (chooser) chooser.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    gallery.addEventListener("change", show);
    show();
  };

  document.querySelectorAll("[data-lb-gallery]").forEach(narrow);

  window.addEventListener("load", () => {
    document.querySelectorAll(".md-code__nav").forEach((nav, place) => {
      nav.setAttribute("aria-label", `Code block ${place + 1}`);
    });
  });
})();
