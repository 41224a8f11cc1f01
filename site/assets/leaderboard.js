// Sorts and narrows tables, narrows galleries, and keeps the view in the address, so that a link brings it back.
// Without it all of them are whole and in their own order. Names the theme's copy buttons and frames of tables.
(() => {
  "use strict";

  const FIRST = 100; // How many rows of a long table are shown until all are asked for.
  const params = new URLSearchParams(location.search);

  // Puts `entries` into the address; empty values leave it.
  const remember = (entries) => {
    for (const [name, text] of Object.entries(entries)) {
      if (text) params.set(name, text);
      else params.delete(name);
    }
    const query = params.toString();
    history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
  };

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

  // Makes headings buttons; gives what sorts by a column, named by its key, and tells `changed` of each sort.
  const sortable = (table, changed) => {
    const columns = places(table.tHead);
    const heads = [...columns.keys()].filter((cell) => cell.dataset.first);
    const sort = (head, order) => {
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      [...table.tBodies].forEach((body) => sortGroup(body, columns.get(head), sign));
    };
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
        sort(head, now ? other : head.dataset.first);
        changed(head.dataset.key, head.getAttribute("aria-sort"));
      });
    }
    return (key, order) => {
      const head = heads.find((each) => each.dataset.key === key);
      if (head && (order === "ascending" || order === "descending")) sort(head, order);
    };
  };

  // Hides columns by one style rule; headings that span several shrink with them.
  const hideColumns = (table, columns, style, hidden) => {
    const rules = [];
    for (const [cell, place] of columns) {
      if (cell.dataset.key) {
        cell.hidden = hidden.has(cell.dataset.key);
        if (cell.hidden) rules.push(`#${table.id} .lb-row > :nth-child(${place + 1}):not([colspan])`);
      }
    }
    for (const over of table.querySelectorAll("[data-keys]")) {
      const left = over.dataset.keys.split(" ").filter((key) => !hidden.has(key)).length;
      over.hidden = left === 0;
      if (left) over.colSpan = left;
    }
    style.textContent = rules.length ? `${rules.join(",")} { display: none; }` : "";
  };

  // The tools over a table: what they say is what is shown, and stands in the address.
  const withTools = (table, form) => {
    const style = document.head.appendChild(document.createElement("style"));
    const columns = places(table.tHead);
    const { find, family } = form.elements;
    const boxes = [...form.querySelectorAll("input[type=checkbox]")];
    const more = form.querySelector("[data-lb-all]");
    const rows = () => [...table.querySelectorAll("tbody .lb-row")];
    const text = new Map(rows().map((row) => [row, row.querySelector(".lb-entry").textContent.toLowerCase()]));
    let whole = params.get("rows") === "all";

    // hasty: rows beyond the first ones wait for the next call, so that these are painted at once.
    const show = (hasty = false) => {
      const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
      let fit = 0;
      for (const row of rows()) {
        const fits = (!family.value || row.dataset.family === family.value) && words.every((w) => text.get(row).includes(w));
        fit += fits;
        row.classList.toggle("lb-off", !fits);
        row.classList.toggle("lb-late", fits && (hasty || !whole) && fit > FIRST);
      }
      for (const body of table.tBodies) body.hidden = !body.querySelector(".lb-row:not(.lb-off, .lb-late)");
      const hidden = new Set(boxes.filter((box) => !box.checked).map((box) => box.value));
      hideColumns(table, columns, style, hidden);
      const shown = whole ? fit : Math.min(fit, FIRST);
      form.querySelector("output").textContent = `${shown} of ${text.size} ${text.size === 1 ? "row" : "rows"}`;
      more.hidden = shown === fit;
      more.textContent = `Show all ${fit}`;
    };

    const changed = () => {
      show();
      const hidden = boxes.filter((box) => !box.checked).map((box) => box.value);
      remember({ find: find.value.trim(), family: family.value, hide: hidden.join(","), rows: whole ? "all" : "" });
    };

    const sort = sortable(table, (key, order) => {
      show(true);
      if (whole) requestAnimationFrame(() => setTimeout(() => show()));
      remember({ sort: `${key}:${order}` });
    });
    find.value = params.get("find") ?? "";
    family.value = params.get("family") ?? "";
    const hidden = new Set((params.get("hide") ?? "").split(","));
    boxes.forEach((box) => (box.checked = !hidden.has(box.value)));
    sort(...(params.get("sort") ?? ":").split(":"));
    show();
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", changed);
    more.addEventListener("click", () => {
      whole = true;
      changed();
    });
    form.querySelector("[data-lb-copy]").addEventListener("click", async (event) => {
      const label = event.target.textContent;
      try {
        await navigator.clipboard.writeText(location.href);
        event.target.textContent = "Copied";
      } catch {
        event.target.textContent = "Copy the address above";
      }
      setTimeout(() => (event.target.textContent = label), 2000);
    });
  };

  document.querySelectorAll("table[data-lb-sort]").forEach((table) => {
    const form = table.id && document.querySelector(`form[data-lb-for="${table.id}"]`);
    if (form) withTools(table, form);
    else sortable(table, () => {});
  });

  // Pictures that the choices leave out are hidden, with rows and columns that hold no other.
  const narrow = (gallery) => {
    const form = gallery.querySelector(".lb-filters");
    const chooser = gallery.querySelector(".lb-chooser");
    const boxes = [...(chooser?.querySelectorAll("input") ?? [])];
    const selects = [...form.querySelectorAll("select")];
    const shots = [...gallery.querySelectorAll("[data-lb-shot]")];
    const show = () => {
      const wanted = selects.filter((select) => select.value);
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
    boxes.forEach((box) => (box.checked = box.defaultChecked));
    const first = boxes.filter((box) => box.checked).map((box) => box.value).join(",");
    const asked = params.get("entries")?.split(",");
    if (asked) boxes.forEach((box) => (box.checked = asked.includes(box.value)));
    for (const select of selects) {
      const wanted = params.get(select.name);
      if ([...select.options].some((option) => option.value === wanted)) select.value = wanted;
    }
    form.hidden = false;
    if (chooser) chooser.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    gallery.addEventListener("change", () => {
      show();
      const shown = boxes.filter((box) => box.checked).map((box) => box.value).join(",");
      const entries = shown === first ? "" : shown || "none";
      remember({ ...Object.fromEntries(selects.map((select) => [select.name, select.value])), entries });
    });
    show();
  };

  document.querySelectorAll("[data-lb-gallery]").forEach(narrow);

  window.addEventListener("load", () => {
    document.querySelectorAll(".md-code__nav").forEach((nav, place) => {
      nav.setAttribute("aria-label", `Code block ${place + 1}`);
    });
    document.querySelectorAll(".md-typeset__scrollwrap").forEach((frame, place) => {
      frame.tabIndex = 0;
      frame.setAttribute("role", "region");
      frame.setAttribute("aria-label", `Table ${place + 1}`);
    });
  });
})();
