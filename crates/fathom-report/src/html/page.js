"use strict";
// Adds to the page what paper cannot do: values at the pointer, zoom in time, series on and off,
// sorted tables, copies as CSV. Without it nothing is missing but these.
(() => {
  const all = (of, what) => [...of.querySelectorAll(what)];
  const words = text => text ? text.split(" ") : [];
  const on = (element, names, act) => names.split(" ").forEach(name => element.addEventListener(name, act));
  const html = (tag, name, text, into) => {
    const made = document.createElement(tag);
    made.className = name;
    made.textContent = text;
    into.append(made);
    return made;
  };
  const svg = (tag, values, into) => {
    const made = document.createElementNS(document.querySelector("svg").namespaceURI, tag);
    Object.entries(values).forEach(([name, value]) => made.setAttribute(name, value));
    into.append(made);
    return made;
  };
  const act = (element, does) => on(element, "click keydown", event => {
    if (event.type === "click" || event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      does();
    }
  });

  // Copies.
  const quoted = text => {
    const safe = /^[=+\-@]/.test(text) && isNaN(text) ? "'" + text : text;
    return /[",\n]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  };
  const csv = rows => rows.map(row => row.map(quoted).join(",")).join("\n") + "\n";
  const copy = text => {
    const old = () => {
      const field = html("textarea", "", text, document.body);
      field.select();
      document.execCommand("copy");
      field.remove();
    };
    return navigator.clipboard ? navigator.clipboard.writeText(text).catch(old) : Promise.resolve(old());
  };
  const copyButton = (into, rows) => {
    const button = html("button", "copy", "Copy as CSV", into);
    button.type = "button";
    on(button, "click", () => copy(csv(rows())).then(() => {
      button.textContent = "Copied";
      setTimeout(() => button.textContent = "Copy as CSV", 1500);
    }));
  };

  // Tables.
  const first = cell => [...cell.childNodes].filter(node => node.nodeName !== "SMALL")
    .map(node => node.textContent).join("").trim();
  const number = cell => {
    const text = first(cell).replace(/,/g, "");
    return /^[≥<]?[\d.]/.test(text) ? parseFloat(text.replace(/^[≥<]/, "")) : NaN;
  };
  all(document, "table.sortable").forEach(table => {
    const heads = all(table, "thead th"), body = table.tBodies[0], lines = [...body.rows];
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      on(button, "click", () => {
        const down = head.getAttribute("aria-sort") !== "descending";
        heads.forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const order = (a, b) => {
          const [x, y] = [number(a.cells[at]), number(b.cells[at])];
          if (isNaN(x) || isNaN(y)) {
            return isNaN(x) && isNaN(y) ? first(b.cells[at]).localeCompare(first(a.cells[at])) : isNaN(x) - isNaN(y);
          }
          return down ? y - x : x - y;
        };
        const whole = line => line.cells.length === heads.length;
        body.append(...lines.filter(whole).sort(order), ...lines.filter(line => !whole(line)));
      });
    });
    copyButton(table.parentNode.parentNode, () => [table, ...body.rows].map(line => line.dataset.csv.split("\t")));
  });

  // Charts.
  const tip = html("div", "tip", "", document.body);
  tip.setAttribute("role", "status");
  const hide = () => {
    tip.textContent = "";
    all(document, ".cursor").forEach(line => line.remove());
  };
  const nice = span => {
    const decade = 10 ** Math.floor(Math.log10(span / 5));
    return decade * ([1, 2, 5].find(step => step * decade >= span / 5) || 10);
  };

  all(document, "svg.chart").filter(chart => chart.querySelector(".plot")).forEach(chart => {
    const plot = chart.querySelector(".plot");
    const [left, top, width, height] = ["x", "y", "width", "height"].map(name => +plot.getAttribute(name));
    const time = chart.dataset.t && words(chart.dataset.t).map(Number);
    const axis = chart.dataset.xn, unit = time ? " s" : chart.querySelector(".s[data-x]") ? " %" : "";
    const series = all(plot, ".s[data-v]").map(group => ({
      group, name: group.dataset.n, unit: group.dataset.u, x: words(group.dataset.x), v: words(group.dataset.v),
      at: all(group, ".line").flatMap(line => words(line.getAttribute("points")).map(pair => pair.split(",").map(Number))),
    }));
    const heat = plot.querySelector(".heat");
    const edges = heat && words(heat.dataset.e);
    const columns = heat && words(heat.dataset.c).map(text => {
      const [from, to, start, end, row, ...ios] = text.split(",");
      return { from: +from, to: +to, start, end, row: +row, ios };
    });
    let view = [0, width], place = 0;

    const show = (x, lines) => {
      hide();
      svg("line", { class: "cursor", x1: x, x2: x, y1: 0, y2: height }, plot);
      lines.forEach((line, at) => html(at ? "div" : "b", "", line, tip));
      const box = chart.getBoundingClientRect(), scale = box.width / chart.viewBox.baseVal.width;
      const middle = box.left + scrollX + (left + (x - view[0]) / view[1] * width) * scale;
      const right = document.documentElement.clientWidth + scrollX - tip.offsetWidth - 8;
      tip.style.left = Math.max(4, Math.min(middle + 12, right)) + "px";
      tip.style.top = box.top + scrollY + top * scale + "px";
    };
    const hover = (x, y) => {
      if (heat) {
        const column = columns.find(one => x >= one.from && x < one.to);
        const row = Math.min(edges.length - 2, Math.max(0, Math.floor((height - y) / height * (edges.length - 1))));
        return column ? show((column.from + column.to) / 2, [
          `${column.start} to ${column.end} s`, `${edges[row]} to ${edges[row + 1]} ${heat.dataset.u}`,
          `${+(column.ios[row - column.row] || 0)} I/Os`]) : hide();
      }
      const near = series.filter(one => !one.group.classList.contains("off") && one.at.length).map(one => {
        const index = one.at.reduce((best, [px], at) => Math.abs(px - x) < Math.abs(one.at[best][0] - x) ? at : best, 0);
        return { one, index, gap: Math.abs(one.at[index][0] - x) };
      }).sort((a, b) => a.gap - b.gap);
      if (near.length) {
        const { one, index } = near[0];
        const same = near.filter(other => other.gap < near[0].gap + 3).sort((a, b) => series.indexOf(a.one) - series.indexOf(b.one));
        show(one.at[index][0], [one.x[index] + unit,
          ...same.map(({ one, index }) => `${one.name}: ${one.v[index]} ${one.unit}`)]);
      }
    };
    const inside = event => {
      const box = chart.getBoundingClientRect(), scale = box.width / chart.viewBox.baseVal.width;
      const x = (event.clientX - box.left) / scale - left, y = (event.clientY - box.top) / scale - top;
      return x < 0 || x > width || y < 0 || y > height ? null : [view[0] + x / width * view[1], y];
    };
    chart.tabIndex = 0;
    chart.setAttribute("role", "group");
    on(chart, "pointermove", event => {
      const at = inside(event);
      at ? hover(...at) : hide();
    });
    on(chart, "pointerleave blur", hide);
    on(chart, "keydown", event => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const points = heat ? columns.map(one => {
        const most = one.ios.reduce((best, ios, at) => +ios > +one.ios[best] ? at : best, 0) + one.row;
        return [(one.from + one.to) / 2, height * (1 - (most + 0.5) / (edges.length - 1))];
      }) : (series.find(one => one.at.length) || { at: [] }).at;
      if (event.key === "Escape") {
        hide();
      } else if (step && points.length) {
        event.preventDefault();
        place = Math.max(0, Math.min(points.length - 1, place + step));
        hover(...points[place]);
      }
    });

    // Series on and off.
    all(chart, ".key").forEach((key, at) => {
      key.setAttribute("role", "button");
      key.setAttribute("tabindex", "0");
      key.setAttribute("aria-pressed", "true");
      act(key, () => {
        const off = series[at].group.classList.toggle("off");
        key.classList.toggle("off", off);
        key.setAttribute("aria-pressed", String(!off));
      });
    });

    // Zoom: all charts over time of one measurement together.
    if (time) {
      const ticks = chart.querySelector(".xticks"), before = [...ticks.childNodes];
      chart.addEventListener("zoom", ({ detail: [from, to] }) => {
        view = [from * width, (to - from) * width];
        plot.setAttribute("viewBox", `${view[0]} 0 ${view[1]} ${height}`);
        const whole = to - from === 1;
        chart.classList.toggle("zoomed", !whole);
        const [start, end] = [from, to].map(share => time[0] + share * (time[1] - time[0]));
        const step = nice(end - start), foot = top + height;
        ticks.replaceChildren(...whole ? before : []);
        for (let at = Math.ceil(start / step) * step; !whole && at <= end; at += step) {
          const x = left + (at - start) / (end - start) * width;
          svg("line", { class: "mark", x1: x, x2: x, y1: foot, y2: foot + 4 }, ticks);
          svg("text", { class: "tick", x, y: foot + 15 }, ticks).textContent = +at.toPrecision(6);
        }
      });
      const zoom = (from, to) => all(chart.closest("article"), "svg.chart[data-t]").forEach(
        other => other.dispatchEvent(new CustomEvent("zoom", { detail: [from, to] })));
      let begun = null;
      on(chart, "pointerdown", event => begun = event.button ? null : inside(event));
      on(chart, "pointerup", event => {
        const ended = inside(event);
        if (begun && ended && Math.abs(begun[0] - ended[0]) > view[1] / 50) {
          zoom(...[begun[0], ended[0]].map(x => x / width).sort((a, b) => a - b));
        }
        begun = null;
      });
      on(chart, "dblclick", () => zoom(0, 1));
    }

    // What is before the end of the ramp is not counted. Charts that are not over time have no such column.
    const ramp = second => time ? [+second < +(chart.dataset.r || time[0]) ? "yes" : "no"] : [];
    const heading = time ? ["ramp"] : [];
    copyButton(chart.parentNode, () => heat
      ? [["from s", "to s", `latency from ${heat.dataset.u}`, `latency to ${heat.dataset.u}`, "I/Os", ...heading],
        ...columns.flatMap(one => one.ios.map((ios, at) => [one.start, one.end, edges[one.row + at], edges[one.row + at + 1], ios, ...ramp(one.start)]))
          .filter(row => row[4])]
      : [["series", axis, "value", "unit", ...heading],
        ...series.flatMap(one => one.v.map((value, at) => [one.name, one.x[at], value, one.unit, ...ramp(one.x[at])]))]);
  });
})();
