// Compares a few entries of a track case by case. All it needs stands in the page; which entries, in the address.
// What a contribution is, and how a difference and its error follow, is in benchmark/contributions.py.
(() => {
  "use strict";

  const root = document.querySelector("[data-lb-compare]");
  if (!root) return;
  const data = JSON.parse(document.getElementById("lb-compare-data").textContent);
  const { metric, cases, cuts, symbol, gallery } = data;
  const MOST = Number(root.dataset.lbCompare);
  const LISTED = 30; // How many entries to choose from are listed at once.
  const SIDE = 240; // The side of a panel's square.
  const MARGIN = { left: 40, right: 26, top: 26, bottom: 44 };
  const sign = metric.up ? 1 : -1;

  // ---- Numbers

  const [low, high, steps, width] = data.packing;
  const digits = new Map([...data.digits].map((digit, place) => [digit, place]));
  const unpack = (text) => {
    const found = new Float64Array(text.length / width);
    for (let at = 0; at < found.length; at += 1) {
      let whole = 0;
      for (let i = at * width; i < (at + 1) * width; i += 1) whole = 64 * whole + digits.get(text[i]);
      found[at] = low + ((high - low) * whole) / steps;
    }
    return found;
  };

  const entries = new Map(
    data.entries.map(([id, title, group, value, text]) => [id, { id, title, group, value, text }]),
  );
  const values = (entry) => (entry.values ??= unpack(entry.text));

  const mean = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

  // How far a is ahead of b on a cut, in the direction that is better, with its 95% interval (null: too few cases).
  const lead = (a, b, [, , reach, samples]) => {
    let total = 0;
    let variance = 0;
    let alike = true;
    for (const [share, weight, slots] of samples) {
      const apart = slots.map((slot) => sign * (values(a)[slot] - values(b)[slot]));
      const middle = mean(apart);
      total += share * middle;
      alike &&= apart.every((x) => x === 0);
      if (reach !== null) {
        const spread = apart.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (apart.length - 1);
        variance += (weight ** 2 * spread) / apart.length;
      }
    }
    if (reach === null) return { total, alike, interval: null, winner: null };
    const wide = reach * Math.sqrt(variance);
    const clip = (x) => Math.min(Math.max(x, -metric.reach), metric.reach);
    const interval = [clip(total - wide), clip(total + wide)];
    const winner = interval[0] > 1e-9 ? a : interval[1] < -1e-9 ? b : null;
    return { total, alike, interval, winner };
  };

  const on = (entry, [, , , samples]) =>
    samples.reduce((sum, [share, , slots]) => sum + share * mean(slots.map((slot) => values(entry)[slot])), 0);

  // Three decimals, halves to even as on the other pages, a true minus sign.
  const number = (value) => {
    const tie = (value * 16) % 1 === 0 && Math.abs(value * 2000) % 2 === 1;
    const text = tie ? (2 * Math.round(value * 500) / 1000).toFixed(3) : value.toFixed(3);
    return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
  };
  const signed = (value) => {
    const text = number(value);
    return value > 0 && Number(text) !== 0 ? `+${text}` : text;
  };
  const span = ([from, to]) => `${signed(from)} to ${signed(to)}`;

  // ---- Elements

  const made = (element, attributes, children) => {
    for (const [name, text] of Object.entries(attributes)) {
      if (text !== undefined && text !== false) element.setAttribute(name, text === true ? "" : text);
    }
    element.append(...children.filter((child) => child !== ""));
    return element;
  };
  const html = (tag, attributes = {}, ...children) => made(document.createElement(tag), attributes, children);
  const svg = (tag, attributes = {}, ...children) =>
    made(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const quiet = (text) => html("span", { class: "lb-hidden" }, text);
  const linked = ({ id, title }) => html("a", { href: `${root.dataset.lbEntries}${id}.html` }, title);
  const frame = (label, ...children) =>
    html("div", { class: "lb-frame", role: "region", "aria-label": label, tabindex: "0" }, ...children);
  const listed = (items) =>
    items.flatMap((item, place) => [place === 0 ? "" : place === items.length - 1 ? " and " : ", ", item]);

  const labelOf = ([variant, strength]) => {
    const at = strength === null ? "" : `${symbol} = ${strength}`;
    return [variant, at].filter(Boolean).join(", ") || "all cases";
  };

  // The same below the row of its variant, which is said again only to those who cannot see it.
  const rowLabel = (cut) => {
    const [variant, strength] = cut;
    return variant && strength !== null ? [quiet(`${variant}, `), labelOf(["", strength])] : [labelOf(cut)];
  };

  // ---- Sentences

  const sentence = (a, b) => {
    const found = lead(a, b, cuts[0]);
    const [first, second] = found.winner === b ? [b, a] : [a, b];
    const both = `${metric.title} ${number(first.value)} and ${number(second.value)}`;
    const line = html("p");
    if (found.alike) {
      line.append(linked(a), " and ", linked(b), ` cannot be told apart: they do equally well on every case (${both}).`);
    } else if (found.winner) {
      const by = Math.abs(found.total);
      const ends = found.interval.map(Math.abs).sort((x, y) => x - y);
      line.append(html("strong", {}, linked(first), " is better than ", linked(second)));
      line.append(` by ${number(by)}, 95% interval ${number(ends[0])} to ${number(ends[1])} (${both}).`);
    } else {
      line.append(html("strong", {}, linked(a), " and ", linked(b), " cannot be told apart"));
      const why = found.interval
        ? `: the first is ahead by ${signed(found.total)}, 95% interval ${span(found.interval)}, which holds 0`
        : ": there are too few cases for an interval";
      line.append(`${why} (${both}).`);
    }
    return line;
  };

  // Where each is ahead: by variant, or by strength where there is one variant.
  const summary = (a, b) => {
    const whole = cuts.slice(1);
    const variants = whole.filter(([, strength]) => strength === null);
    const parts = variants.length ? variants : whole;
    if (!parts.length) return "";
    const won = (entry) => parts.filter((cut) => lead(a, b, cut).winner === entry).map(labelOf);
    const clauses = [a, b].filter((entry) => won(entry).length);
    if (!clauses.length) return html("p", {}, "They cannot be told apart on any part of the cases.");
    const line = html("p");
    clauses.forEach((entry, place) => line.append(place ? "; " : "", linked(entry), " is ahead on ", ...listed(won(entry))));
    const open = parts.map(labelOf).filter((label) => !won(a).includes(label) && !won(b).includes(label));
    line.append(...(open.length ? ["; on ", ...listed(open), " they cannot be told apart."] : ["."]));
    return line;
  };

  // ---- The differences as a table, its intervals drawn on one axis

  const reachOf = (leads) => {
    const ends = leads.flatMap(({ total, interval }) => [total, ...(interval ?? [])]).map(Math.abs);
    return Math.min(Math.max(0.1, Math.ceil(Math.max(...ends) * 10) / 10), metric.reach);
  };

  const bar = ({ total, interval }, reach) => {
    const at = (value) => 90 + (84 * Math.min(Math.max(value / reach, -1), 1));
    const held = svg("svg", { class: "lb-bar lb-lead", viewBox: "0 0 180 16", "aria-hidden": "true", focusable: "false" });
    held.append(svg("path", { class: "lb-chance", d: "M90 0V16" }));
    if (interval) held.append(svg("path", { class: "lb-span", d: `M${at(interval[0])} 8H${at(interval[1]) + 0.5}` }));
    held.append(svg("path", { class: "lb-point", d: `M${at(total)} 3V13` }));
    return held;
  };

  const axis = (reach) => {
    const tick = (x, anchor, text) => svg("text", { x, y: 10, "text-anchor": anchor }, text);
    const ends = { class: "lb-bar lb-lead lb-ticks", viewBox: "0 0 180 12", "aria-hidden": "true", focusable: "false" };
    const to = reach.toFixed(1);
    return svg("svg", ends, tick(2, "start", `\u2212${to}`), tick(90, "middle", "0"), tick(178, "end", `+${to}`));
  };

  const verdictOf = ({ alike, interval, winner }) => {
    if (winner) return `${winner.title} ahead`;
    return alike ? "alike on every case" : interval ? "cannot be told apart" : "too few cases";
  };

  const differences = (a, b) => {
    const leads = cuts.map((cut) => lead(a, b, cut));
    const reach = reachOf(leads);
    const rows = cuts.map((cut, place) => {
      const { total, interval } = leads[place];
      const kind = place === 0 ? "lb-whole" : cut[1] === null ? "lb-variant" : "lb-strength";
      return html(
        "tr",
        { class: kind },
        html("th", { scope: "row" }, ...rowLabel(cut)),
        html("td", { class: "lb-number" }, html("b", {}, signed(total))),
        html("td", {}, bar(leads[place], reach)),
        html("td", { class: "lb-number lb-interval" }, interval ? span(interval) : "\u2013"),
        html("td", { class: leads[place].winner ? "" : "lb-quiet" }, verdictOf(leads[place])),
        html("td", { class: "lb-number" }, number(place ? on(a, cut) : a.value)),
        html("td", { class: "lb-number" }, number(place ? on(b, cut) : b.value)),
      );
    });
    const head = (text, numeric, ...more) => html("th", { scope: "col", class: numeric && "lb-number" }, text, ...more);
    const label = `${metric.title} of ${a.title} and ${b.title}`;
    return frame(
      label,
      html(
        "table",
        { class: "lb-table lb-values lb-leads" },
        html("caption", { class: "lb-hidden" }, label),
        html(
          "thead",
          {},
          html(
            "tr",
            {},
            head("Cases"),
            head("First ahead by", true),
            html("th", { scope: "col" }, quiet("Picture"), axis(reach)),
            head("95% interval", true),
            head("In words"),
            head(a.title, true),
            head(b.title, true),
          ),
        ),
        html("tbody", {}, ...rows),
      ),
    );
  };

  // ---- The cases as dots

  const counted = cases
    .map(([id, variant, strength, kind, slot]) => ({ id, variant, strength, kind, slot }))
    .filter(({ slot }) => slot !== null);
  const kinds = [...new Set(counted.map(({ kind }) => kind))];

  // Cases with equal values lie around their place, on a spiral, so that each is seen.
  const scattered = (dots) => {
    const before = new Map();
    return dots.map((dot) => {
      const key = `${dot.x.toFixed(1)} ${dot.y.toFixed(1)}`;
      const count = before.get(key) ?? 0;
      before.set(key, count + 1);
      const [away, angle] = [3.1 * Math.sqrt(count), 2.399963 * count];
      return { ...dot, x: dot.x + away * Math.cos(angle), y: dot.y + away * Math.sin(angle) };
    });
  };

  const mark = (kind, x, y, title) => {
    const at = `${x.toFixed(1)} ${y.toFixed(1)}`;
    const shape =
      kind === "null"
        ? svg("path", { class: "lb-null", d: `M${at}m-3.4 -3.4h6.8v6.8h-6.8z` })
        : svg("circle", { class: "lb-hit", cx: x.toFixed(1), cy: y.toFixed(1), r: 3.6 });
    if (title) shape.append(svg("title", {}, title));
    return shape;
  };

  const short = (text) => (text.length > 30 ? `${text.slice(0, 29).trimEnd()}\u2026` : text);

  const panel = (a, b, variant, [from, to]) => {
    const members = counted.filter((one) => one.variant === variant);
    const place = (value) => ((value - from) / (to - from)) * SIDE;
    const dots = scattered(
      members.map((one) => {
        const [x, y] = [values(a)[one.slot], values(b)[one.slot]];
        const title = `${one.id}, ${one.kind}: ${a.title} ${number(x)}, ${b.title} ${number(y)}`;
        return { ...one, title, x: MARGIN.left + place(x), y: MARGIN.top + SIDE - place(y) };
      }),
    );
    const [right, bottom] = [MARGIN.left + SIDE, MARGIN.top + SIDE];
    const above = members.filter((one) => sign * (values(b)[one.slot] - values(a)[one.slot]) > 0).length;
    const below = members.filter((one) => sign * (values(b)[one.slot] - values(a)[one.slot]) < 0).length;
    const even = members.length - above - below;
    const told = `${above} of ${members.length} cases favor ${b.title}, ${below} favor ${a.title}, ${even} neither`;
    const text = (x, y, anchor, words, more = {}) =>
      svg("text", { class: "lb-quiet", x, y, "text-anchor": anchor, ...more }, words);
    const turned = `rotate(-90 10 ${MARGIN.top + SIDE / 2})`;
    return html(
      "figure",
      {},
      html("figcaption", {}, html("b", {}, variant), ` ${told}.`),
      svg(
        "svg",
        {
          class: "lb-scatter",
          viewBox: `0 0 ${right + MARGIN.right} ${bottom + MARGIN.bottom}`,
          role: "img",
          "aria-label": `The ${variant} cases: ${told}. The numbers are in the table of cases below.`,
        },
        svg("path", { class: "lb-axis", d: `M${MARGIN.left} ${MARGIN.top}V${bottom}H${right}` }),
        svg("path", { class: "lb-chance", d: `M${MARGIN.left} ${bottom}L${right} ${MARGIN.top}` }),
        text(MARGIN.left, bottom + 26, "middle", from.toFixed(1)),
        text(right, bottom + 26, "middle", to.toFixed(1)),
        text(MARGIN.left - 16, bottom + 3, "end", from.toFixed(1)),
        text(MARGIN.left - 16, MARGIN.top + 3, "end", to.toFixed(1)),
        text(MARGIN.left + SIDE / 2, bottom + 38, "middle", short(a.title)),
        text(10, MARGIN.top + SIDE / 2, "middle", short(b.title), { transform: turned }),
        ...dots.map((dot) => mark(dot.kind, dot.x, dot.y, dot.title)),
      ),
    );
  };

  const legend = () => {
    const key = (kind) =>
      html("span", {}, svg("svg", { class: "lb-scatter lb-mark-key", viewBox: "0 0 12 12", "aria-hidden": "true" }, mark(kind, 6, 6)), ` ${kind} case`);
    return html("p", { class: "lb-keys" }, ...kinds.map(key));
  };

  const caseTable = (a, b) => {
    const label = `Cases of ${a.title} and ${b.title}`;
    const head = (text, numeric) => html("th", { scope: "col", class: numeric && "lb-number" }, text);
    const rows = counted.map((one) => {
      const [x, y] = [values(a)[one.slot], values(b)[one.slot]];
      const cell = (text) => html("td", { class: "lb-number" }, text);
      return html(
        "tr",
        {},
        html("th", { scope: "row" }, one.id),
        html("td", {}, one.kind),
        cell(number(x)),
        cell(number(y)),
        cell(signed(sign * (x - y))),
      );
    });
    const held = frame(
      label,
      html(
        "table",
        { class: "lb-table lb-values" },
        html("caption", { class: "lb-hidden" }, label),
        html("thead", {}, html("tr", {}, head("Case"), head("Kind"), head(a.title, true), head(b.title, true), head("First ahead by", true))),
        html("tbody", {}, ...rows),
      ),
    );
    held.classList.add("lb-tall");
    return held;
  };

  const dots = (a, b, explained) => {
    const all = counted.flatMap(({ slot }) => [values(a)[slot], values(b)[slot]]);
    const range = [Math.floor(Math.min(...all) * 10) / 10, Math.ceil(Math.max(...all) * 10) / 10];
    if (range[0] === range[1]) range[0] -= 0.1;
    const variants = [...new Set(counted.map(({ variant }) => variant))];
    const left = cases.length - counted.length;
    const details = html("details", { class: "lb-more" }, html("summary", {}, `All ${counted.length} cases`));
    details.addEventListener("toggle", () => details.open && details.children.length < 2 && details.append(caseTable(a, b)));
    return [
      html(
        "p",
        {},
        `Each mark is a case, placed by what it contributes to ${metric.inline}: across for ${a.title}, up for ${b.title}.`,
        explained ? ` ${metric.about}` : "",
        ` Marks ${metric.up ? "above" : "below"} the dashed line favor ${b.title}.`,
        " Cases with equal values are spread around their place.",
        left ? ` ${left} ambiguous ${left === 1 ? "case is" : "cases are"} not drawn, as they count for nothing.` : "",
      ),
      legend(),
      html("div", { class: "lb-figures" }, ...variants.map((variant) => panel(a, b, variant, range))),
      details,
    ];
  };

  // ---- Pictures of the same images

  const EDGE = 1; // The rows that every picture of a file has above and below it, as in raster.py.
  const cut = (file, place, count, alt, [x, y, w, h], peak) => {
    const at = (100 * ((32 + 2 * EDGE) * place + EDGE)) / ((32 + 2 * EDGE) * count - 32);
    const over = svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true", focusable: "false" });
    for (const halo of ["lb-halo", undefined]) over.append(svg("rect", { class: halo, x, y, width: w, height: h }));
    for (const halo of peak ? ["lb-halo", undefined] : []) {
      over.append(svg("path", { class: halo, d: `M${peak[1] - 1.5} ${peak[0] - 1.5}l4 4m0-4l-4 4` }));
    }
    const image = html("img", { src: `../gallery/${file}`, alt, width: 96, height: 96, loading: "lazy", style: `object-position:0 ${at}%` });
    return html("span", { class: "lb-shot" }, image, over);
  };

  const looks = (chosen) => {
    const section = root.querySelector(".lb-looks");
    if (!section) return;
    const wall = section.querySelector(".lb-wall");
    const shown = chosen.filter(({ id }) => gallery.reels[id]);
    section.hidden = !shown.length || chosen.length < 2;
    if (section.hidden) return;
    const without = chosen.filter(({ id }) => !gallery.reels[id]).map(({ title }) => title);
    const rows = gallery.images.map(([id, image, strength, kind, corner, ...patch], row) => {
      const about = `image ${image} of case ${id}, the patch ${corner}`;
      const own = cut(gallery.file, row, gallery.images.length, `I${about.slice(1)}`, patch);
      const words = html("span", { class: "lb-caption" }, `${symbol} = ${strength}, ${kind}`, html("br"), `patch ${corner}`);
      const cells = shown.map((entry) => {
        const [count, shots] = gallery.reels[entry.id];
        if (!shots[row]) return html("td", {}, html("span", { class: "lb-quiet" }, "none"));
        const [place, peak, word, hit] = shots[row];
        const picture = cut(`${entry.id}.png`, place, count, `${entry.title} on ${about}: ${word}`, patch, peak);
        return html("td", {}, picture, html("span", { class: hit ? "lb-word lb-good" : "lb-word", "aria-hidden": "true" }, word));
      });
      return html("tr", {}, html("th", { scope: "row" }, own, words), ...cells);
    });
    const names = shown.map((entry) => html("th", { scope: "col" }, linked(entry)));
    wall.replaceChildren(
      html(
        "table",
        { class: "lb-shots" },
        html("caption", { class: "lb-hidden" }, "Images in rows, entries in columns"),
        html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Image"), ...names)),
        html("tbody", {}, ...rows),
      ),
    );
    section.querySelector(".lb-without")?.remove();
    if (without.length) wall.after(html("p", { class: "lb-quiet lb-without" }, ...listed(without), " gave no heatmaps."));
  };

  // ---- What is chosen

  const params = new URLSearchParams(location.search);
  const asked = [...new Set((params.get("entries") ?? "").split(",").filter(Boolean))];
  let chosen = asked.filter((id) => entries.has(id)).slice(0, MOST);
  const strangers = asked.filter((id) => !entries.has(id));
  const surplus = asked.filter((id) => entries.has(id)).slice(MOST);

  const remember = () => {
    if (chosen.length) params.set("entries", chosen.join(","));
    else params.delete("entries");
    const query = params.toString().replaceAll("%2C", ",");
    try {
      history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
    } catch {
      // A page opened from a file may not change its address; the view works without it.
    }
  };

  const picker = root.querySelector(".lb-picker");
  const find = picker.querySelector("input");
  const choices = picker.querySelector(".lb-choices");

  const offer = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = [...entries.values()].filter(({ id, title }) =>
      words.every((word) => `${title} ${id}`.toLowerCase().includes(word)),
    );
    const shown = fits.slice(0, LISTED);
    choices.replaceChildren(
      ...shown.map(({ id, title, group, value }) => {
        const box = html("input", { type: "checkbox", value: id });
        const about = [number(value), group].filter(Boolean).join(", ");
        return html("label", {}, box, ` ${title} `, html("span", { class: "lb-quiet" }, about));
      }),
    );
    choices.dataset.told = shown.length < fits.length ? `the first ${shown.length} of ${fits.length}` : `${fits.length}`;
    ticked();
  };

  const ticked = () => {
    const full = chosen.length >= MOST;
    for (const box of choices.querySelectorAll("input")) {
      box.checked = chosen.includes(box.value);
      box.disabled = full && !box.checked;
    }
    const room = full ? `; ${MOST} are the most that fit` : "";
    picker.querySelector("output").textContent = `${choices.dataset.told} listed, ${chosen.length} chosen${room}`;
  };

  const choose = (ids) => {
    chosen = ids;
    remember();
    show();
  };

  const pickedList = () => {
    const button = (text, label, act) => {
      const made = html("button", { type: "button", "aria-label": label }, text);
      made.addEventListener("click", act);
      return made;
    };
    const items = chosen.map((id, place) => {
      const { title, value } = entries.get(id);
      const first = button("Put first", `Put ${title} first`, () => {
        choose([id, ...chosen.filter((other) => other !== id)]);
        root.querySelector(".lb-picked button").focus();
      });
      const remove = button("Remove", `Remove ${title}`, () => {
        choose(chosen.filter((other) => other !== id));
        picker.querySelector("summary").focus();
      });
      return html("li", {}, linked(entries.get(id)), ` ${number(value)} `, ...(place ? [first, " "] : []), remove);
    });
    root.querySelector(".lb-picked ol").replaceChildren(...items);
    root.querySelector("[data-lb-copy]").hidden = chosen.length < 2;
  };

  const notes = () => {
    const absent = strangers.map((id) =>
      Object.hasOwn(data.absent, id)
        ? html("p", { class: "lb-old" }, `${data.absent[id][0]} cannot be compared. ${data.absent[id][1]}`)
        : html("p", { class: "lb-old" }, `There is no entry \u201c${id}\u201d here; choose one below.`),
    );
    if (surplus.length) absent.push(html("p", { class: "lb-old" }, `At most ${MOST} entries are compared; the others are left out.`));
    return absent;
  };

  const verdict = (picked) => {
    if (picked.length < 2) {
      const more = picked.length ? `one more entry to compare ${picked[0].title} with` : "two to four entries";
      return [html("p", { class: "lb-empty" }, `Choose ${more}.`)];
    }
    return picked.flatMap((a, place) => picked.slice(place + 1).map((b) => sentence(a, b)));
  };

  const pair = (a, b, explained) =>
    html(
      "section",
      {},
      html("h2", {}, `${a.title} and ${b.title}`),
      html("h3", {}, "Where one is ahead"),
      summary(a, b),
      differences(a, b),
      html("p", { class: "lb-under" }, `Above 0, ${a.title} is ahead; the bars are 95% intervals, all on one axis.`),
      html("h3", {}, "Case by case"),
      ...dots(a, b, explained),
    );

  const show = () => {
    const picked = chosen.map((id) => entries.get(id));
    pickedList();
    ticked();
    root.querySelector(".lb-verdict").replaceChildren(...notes(), ...verdict(picked));
    root.querySelector(".lb-pairs").replaceChildren(...picked.slice(1).map((other, place) => pair(picked[0], other, place === 0)));
    looks(picked);
  };

  choices.addEventListener("change", ({ target }) => {
    const others = chosen.filter((id) => id !== target.value);
    choose(target.checked ? [...others, target.value] : others);
  });
  find.addEventListener("input", offer);
  picker.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  root.querySelector("[data-lb-copy]").addEventListener("click", async ({ target }) => {
    const label = target.textContent;
    try {
      await navigator.clipboard.writeText(location.href);
      target.textContent = "Copied";
    } catch {
      target.textContent = "Copy the address above";
    }
    setTimeout(() => (target.textContent = label), 2000);
  });

  picker.open = chosen.length < 2;
  document.querySelector("[data-lb-unscripted]").remove();
  root.hidden = false;
  offer();
  show();
})();
