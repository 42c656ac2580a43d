"use strict";
(() => {
  const bar = document.getElementById("bar"), box = bar.querySelector("input"), out = bar.querySelector("output");
  const main = document.querySelector("main"), limit = 5000;
  let hits = [], at = -1, timer = 0;
  bar.hidden = false;

  const reveal = (node) => {
    for (let e = node; e && e !== main; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  };
  const marks = window.Highlight && CSS.highlights;

  // A hit may stand in several text nodes: the text of an entry is one string, and each of its
  // nodes is found by where it begins.
  const search = () => {
    hits = []; at = -1;
    const want = box.value.toLowerCase();
    if (want) {
      for (const article of main.querySelectorAll("article")) {
        const walk = document.createTreeWalker(article, NodeFilter.SHOW_TEXT, {
          acceptNode: (n) => n.parentElement.closest("article") === article ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT,
        });
        const nodes = [], starts = [];
        let text = "";
        while (walk.nextNode()) { nodes.push(walk.currentNode); starts.push(text.length); text += walk.currentNode.data; }
        const low = text.toLowerCase();
        if (low.length !== text.length) continue;
        const place = (i) => {
          let lo = 0, hi = starts.length - 1;
          while (lo < hi) { const mid = (lo + hi + 1) >> 1; if (starts[mid] <= i) lo = mid; else hi = mid - 1; }
          return [nodes[lo], i - starts[lo]];
        };
        for (let i = low.indexOf(want); i >= 0 && hits.length < limit; i = low.indexOf(want, i + want.length)) {
          const r = new Range(), [a, x] = place(i), [b, y] = place(i + want.length - 1);
          r.setStart(a, x); r.setEnd(b, y + 1);
          hits.push(r);
        }
      }
    }
    if (marks) {
      CSS.highlights.set("hit", new Highlight(...hits));
      CSS.highlights.delete("here");
    }
    tell();
  };
  const tell = () => {
    out.textContent = !box.value ? "" : at < 0 ? `${hits.length}${hits.length === limit ? "+" : ""} found` : `${at + 1} of ${hits.length}`;
  };
  const go = (step) => {
    if (!hits.length) return;
    at = (at + step + hits.length) % hits.length;
    const node = hits[at].startContainer.parentElement;
    reveal(node);
    if (marks) CSS.highlights.set("here", new Highlight(hits[at]));
    node.scrollIntoView({ block: "center" });
    tell();
  };
  box.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 120); });
  box.addEventListener("keydown", (e) => {
    if (e.key === "Enter") { e.preventDefault(); if (timer) { clearTimeout(timer); timer = 0; if (at < 0) search(); } go(e.shiftKey ? -1 : 1); }
    if (e.key === "Escape") { box.value = ""; search(); box.blur(); }
  });

  // Keys: / to search, j and k from turn to turn.
  document.addEventListener("keydown", (e) => {
    if (e.target === box || e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "/") { e.preventDefault(); box.focus(); return; }
    if (e.key !== "j" && e.key !== "k") return;
    const turns = [...main.querySelectorAll("article:has(>h2)")];
    const now = turns.findIndex((t) => t.getBoundingClientRect().top > 60);
    const next = e.key === "j" ? (now < 0 ? turns.length - 1 : now) : Math.max((now < 0 ? turns.length : now) - 2, 0);
    if (turns[next]) turns[next].scrollIntoView({ block: "start" });
  });

  // What a link leads to is opened.
  const follow = () => {
    const to = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (to) { reveal(to); to.scrollIntoView(); }
  };
  window.addEventListener("hashchange", follow);
  if (location.hash) follow();

  // A button copies code as it stands.
  main.addEventListener("dblclick", (e) => {
    const pre = e.target.closest && e.target.closest("pre");
    if (pre && e.altKey && navigator.clipboard) navigator.clipboard.writeText(pre.textContent);
  });
})();
