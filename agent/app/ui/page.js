// SPDX-License-Identifier: Apache-2.0
// Draws /api/v1/pipeline. Everything that comes from the agent goes into the page as text, never as markup.
"use strict";
(() => {
  const asked = Number(new URLSearchParams(location.search).get("interval"));
  const interval = asked >= 50 && asked <= 60000 ? asked : 1000;
  const wait = 5000;
  const byId = (id) => document.getElementById(id);
  const shown = new Map(); // node id: its elements
  const places = new Map(); // node id, or what passes by: its element
  let ways = []; // by edge: the places it goes through
  let structure = "";
  let before = null;
  let now = null;
  let chosen = "";

  const put = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const make = (name, text, className) => {
    const element = document.createElement(name);
    if (text) element.textContent = text;
    if (className) element.className = className;
    return element;
  };
  const short = (value) => {
    let unit = 0;
    let rest = Number(value) || 0;
    while (rest >= 999.5 && unit < 5) {
      rest /= 1000;
      unit += 1;
    }
    return rest.toFixed(rest < 9.95 && rest > 0 && (unit > 0 || rest < 0.95) ? 1 : 0) + ["", "k", "M", "G", "T", "P"][unit];
  };
  const seconds = (value) => {
    if (value < 0) return "-";
    if (value < 0.00995) return (value * 1000).toFixed(2) + " ms";
    if (value < 0.9995) return (value * 1000).toFixed(0) + " ms";
    return value.toFixed(value < 9.95 ? 1 : 0) + " s";
  };

  // The node of that kind and name a moment ago: its number may have changed with the conf.
  const earlier = (node) => (before ? before.nodes.find((n) => n.kind === node.kind && n.name === node.name) : undefined);
  const rate = (node, name) => {
    const old = earlier(node);
    const passed = before ? now.time - before.time : 0;
    if (!old || passed <= 0) return 0;
    return (node[name] >= old[name] ? node[name] - old[name] : node[name]) / passed;
  };
  const delay = (node, share) => {
    const old = earlier(node);
    const counts = node.delay.map((n, i) => Math.max(0, n - (old && old.delay[i] ? old.delay[i] : 0)));
    const total = counts.reduce((a, b) => a + b, 0);
    const bounds = now.delay_bounds;
    if (total === 0) return -1;
    let below = 0;
    for (let i = 0; i < bounds.length; i += 1) {
      if (counts[i] > 0 && below + counts[i] >= share * total) {
        const low = i > 0 ? bounds[i - 1] : 0;
        return low + ((bounds[i] - low) * (share * total - below)) / counts[i];
      }
      below += counts[i];
    }
    return bounds[bounds.length - 1];
  };

  const troubled = (node) => node.kind === "output" && (node.breaker !== "closed" || node.stuck || node.spool_fault !== "");
  const lines = (node) => {
    const first = short(rate(node, "records")) + " records/s";
    if (node.kind === "filter") return [first, short(node.filtered) + " taken out so far"];
    const rates = first + ", " + short(rate(node, "bytes")) + "B/s";
    if (node.kind === "input") {
      const unread = node.unread_bytes === undefined ? "" : short(node.unread_bytes) + "B unread";
      return [rates, [unread, node.paused ? "paused" : ""].filter((word) => word).join(", ")];
    }
    const times = "delay p50 " + seconds(delay(node, 0.5)) + ", p99 " + seconds(delay(node, 0.99));
    const queue = short(node.waiting) + " wait, " + short(node.retries) + " retries, breaker " + node.breaker.replace("_", " ");
    return [rates, times, queue];
  };

  // What takes a place in a column: a node, or the edges to one node that pass by there; ordered by what leads to them.
  const arrange = () => {
    const items = new Map(now.nodes.map((node) => [node.id, { id: node.id, layer: node.layer, node, before: [] }]));
    ways = now.edges.map((edge) => {
      const way = [edge.from];
      for (let layer = items.get(edge.from).layer + 1; layer < items.get(edge.to).layer; layer += 1) {
        const id = `${edge.to} ${layer}`;
        if (!items.has(id)) items.set(id, { id, layer, node: null, before: [] });
        items.get(id).before.push(way[way.length - 1]);
        way.push(id);
      }
      items.get(edge.to).before.push(way[way.length - 1]);
      return [...way, edge.to];
    });
    const columns = [];
    for (const item of items.values()) (columns[item.layer] = columns[item.layer] || []).push(item);
    for (const column of columns.filter((c) => c)) {
      column.forEach((item, i) => {
        const rows = item.before.map((id) => items.get(id).row);
        item.middle = rows.length > 0 ? rows.reduce((a, b) => a + b, 0) / rows.length : i;
      });
      column.sort((a, b) => a.middle - b.middle);
      column.forEach((item, i) => (item.row = i));
    }
    return columns.filter((c) => c);
  };
  const nodeButton = (node) => {
    const button = make("button", "", "node " + node.kind);
    button.type = "button";
    button.setAttribute("aria-controls", "detail");
    button.addEventListener("click", () => choose(node.id));
    const rows = [0, 1, 2].map(() => make("span"));
    button.append(make("b", node.name), make("span", node.kind + " " + node.plugin + ", " + node.about), ...rows);
    const to = now.edges.filter((edge) => edge.from === node.id).map((edge) => now.nodes.find((n) => n.id === edge.to).name);
    button.append(make("span", to.length > 0 ? "to " + to.join(", ") : "", "to"));
    shown.set(node.id, { button, rows });
    places.set(node.id, button);
    return button;
  };
  const build = () => {
    byId("columns").replaceChildren();
    shown.clear();
    places.clear();
    for (const items of arrange()) {
      const column = make("div", "", "column");
      for (const item of items) {
        const place = item.node ? nodeButton(item.node) : make("div", "", "pass");
        places.set(item.id, place);
        column.append(place);
      }
      byId("columns").append(column);
    }
  };

  const drawEdges = () => {
    const board = byId("board").getBoundingClientRect();
    const paths = (now ? now.edges : []).map((edge, i) => {
      const spots = ways[i].map((id) => places.get(id).getBoundingClientRect());
      const middle = (spot) => spot.top + spot.height / 2 - board.top;
      let text = `M${spots[0].right - board.left} ${middle(spots[0])}`;
      for (let j = 1; j < spots.length; j += 1) {
        const [x1, x2] = [spots[j - 1].right - board.left, spots[j].left - board.left];
        const [y1, y2] = [middle(spots[j - 1]), middle(spots[j])];
        const bend = (x2 - x1) / 2;
        text += `C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
        if (j + 1 < spots.length) text += `H${spots[j].right - board.left}`;
      }
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", text);
      if (!edge.certain) path.classList.add("maybe");
      path.dataset.from = edge.from;
      return path;
    });
    byId("edges").replaceChildren(...paths);
    lightEdges();
  };
  const lightEdges = () => {
    for (const path of byId("edges").children) {
      const node = now.nodes.find((n) => n.id === path.dataset.from);
      path.classList.toggle("live", node !== undefined && rate(node, "records") > 0);
    }
  };

  // Pairs of a name and a value as a list; elements are kept from one look to the next.
  const fill = (list, pairs) => {
    while (list.childElementCount > pairs.length) list.lastElementChild.remove();
    while (list.childElementCount < pairs.length) {
      const pair = make("div");
      pair.append(make("dt"), make("dd"));
      list.append(pair);
    }
    pairs.forEach(([name, value], i) => {
      put(list.children[i].children[0], name);
      put(list.children[i].children[1], value);
    });
  };
  const fillLines = (list, texts) => {
    while (list.childElementCount > texts.length) list.lastElementChild.remove();
    while (list.childElementCount < texts.length) list.append(make("li"));
    texts.forEach((text, i) => put(list.children[i], text));
  };

  const words = (value) => {
    if (value === null || value === undefined || value === "") return "-";
    if (Array.isArray(value)) return value.join(" ");
    if (typeof value === "object") return Object.entries(value).map(([k, v]) => k + " " + v).join(", ") || "none";
    return String(value);
  };
  const showDetail = () => {
    const node = now.nodes.find((n) => n.id === chosen);
    byId("detail").hidden = !node;
    for (const [id, { button }] of shown) button.setAttribute("aria-expanded", String(id === chosen));
    if (!node) return;
    put(byId("detail-title"), node.kind + " " + node.name);
    byId("tap").hidden = now.tap !== true;
    const facts = Object.entries(node).filter(([key]) => !["id", "kind", "name", "layer", "delay"].includes(key));
    fill(byId("facts"), facts.map(([key, value]) => [key.replaceAll("_", " "), words(value)]));
  };
  const choose = (id) => {
    chosen = chosen === id ? "" : id;
    byId("tapped").replaceChildren();
    put(byId("tap-said"), "");
    showDetail();
    drawEdges();
    if (chosen) byId("detail").focus();
  };

  const draw = () => {
    const shape = JSON.stringify([now.nodes.map((n) => [n.id, n.name, n.plugin, n.about, n.layer]), now.edges]);
    const changed = shape !== structure;
    if (changed) build();
    structure = shape;
    for (const node of now.nodes) {
      const { button, rows } = shown.get(node.id);
      const texts = lines(node);
      rows.forEach((row, i) => put(row, texts[i] || ""));
      button.classList.toggle("trouble", troubled(node));
    }
    if (changed) drawEdges();
    lightEdges();
    put(byId("about"), `${now.logweir} on ${now.host}, up ${Math.floor(now.uptime)} s, memory ${short(now.memory)} of ${short(now.memory_limit)}B`);
    const well = now.health.length === 0;
    put(byId("health"), well ? "all is well" : "not well");
    byId("health").className = well ? "good" : "bad";
    fillLines(byId("reasons"), now.health);
    fill(byId("ledger"), Object.entries(now.ledger).map(([key, value]) => [key.replaceAll("_", " "), String(value)]));
    const drops = [];
    for (const node of now.nodes) {
      for (const [reason, count] of Object.entries(node.dropped || {})) drops.push(`${node.name}: ${count} records, ${reason}`);
      for (const [reason, count] of Object.entries(node.dead_letters || {})) drops.push(`${node.name}: ${count} dead letters, ${reason}`);
    }
    if (now.unrouted > 0) drops.push(`${now.unrouted} records whose tag no output takes`);
    fillLines(byId("drops"), drops.length > 0 ? drops : ["none"]);
    const log = now.log.map((line) => `${new Date(line.time * 1000).toISOString()} ${line.level} ${line.component} ${line.text}`);
    fillLines(byId("log"), log.length > 0 ? log : ["none"]);
    showDetail();
  };

  const ask = async (address, patience) => {
    const answer = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(patience) });
    if (!answer.ok) throw new Error((await answer.text()).slice(0, 300) || String(answer.status));
    return answer;
  };
  const look = async () => {
    try {
      const page = await (await ask("/api/v1/pipeline", wait)).json();
      before = now;
      now = page;
      draw();
    } catch (error) {
      put(byId("health"), "the agent does not answer: " + error.message);
      byId("health").className = "bad";
    }
    setTimeout(look, document.hidden ? Math.max(interval, 5000) : interval);
  };
  const tap = async () => {
    const node = now.nodes.find((n) => n.id === chosen);
    if (!node) return;
    put(byId("tap-said"), "waiting for records");
    try {
      const at = "/api/v1/tap?kind=" + node.kind + "&instance=" + encodeURIComponent(node.name) + "&limit=20";
      const texts = (await (await ask(at, 20000)).text()).split("\n").filter((line) => line !== "");
      fillLines(byId("tapped"), texts);
      put(byId("tap-said"), texts.length + " records");
    } catch (error) {
      put(byId("tap-said"), error.message);
    }
  };

  byId("close").addEventListener("click", () => {
    const last = shown.get(chosen);
    choose(chosen);
    if (last) last.button.focus();
  });
  byId("tap").addEventListener("click", tap);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chosen) byId("close").click();
  });
  new ResizeObserver(drawEdges).observe(byId("board"));
  look();
})();
