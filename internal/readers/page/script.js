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
        // A letter whose lower case has another length stays as it is, so that places are those of the text.
        const low = text.replace(/[^]/gu, (c) => { const l = c.toLowerCase(); return l.length === c.length ? l : c; });
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

  // Keys go from prompt to prompt, and from failed call to failed call.
  const keys = document.getElementById("keys"), theme = document.getElementById("theme");
  const to = (selector, step) => {
    const all = [...main.querySelectorAll(selector)], top = (n) => n.getBoundingClientRect().top;
    const next = step > 0 ? all.find((n) => top(n) > 60) : all.findLast((n) => top(n) < -5);
    if (!next) return;
    reveal(next);
    next.scrollIntoView({ block: "start" });
  };
  const press = {
    "/": () => box.focus(),
    j: () => to("article.user", 1),
    k: () => to("article.user", -1),
    n: () => to("details.err", 1),
    o: () => {
      const all = [...main.querySelectorAll("details")], open = all.some((d) => !d.open);
      for (const d of all) d.open = open;
    },
    t: () => theme.click(),
    "?": () => keys.classList.toggle("over"),
  };
  keys.hidden = false;
  document.addEventListener("keydown", (e) => {
    if (e.target === box || e.ctrlKey || e.metaKey || e.altKey || !Object.hasOwn(press, e.key)) return;
    e.preventDefault();
    press[e.key]();
  });

  // The row of the prompt that is read is marked.
  const rows = [...document.querySelectorAll("nav a.on[href]:not(.m,.dots)")].map((a) => [a, document.getElementById(decodeURIComponent(a.hash.slice(1)))]).filter(([, to]) => to);
  let here, waits = false;
  const mark = () => {
    waits = false;
    const row = rows.findLast(([, to]) => to.getBoundingClientRect().top < 30);
    if (here === row) return;
    if (here) here[0].classList.remove("here");
    here = row;
    if (!here) return;
    here[0].classList.add("here");
    const nav = here[0].parentElement, box = here[0].getBoundingClientRect(), all = nav.getBoundingClientRect();
    if (box.top < all.top || box.bottom > all.bottom) nav.scrollTop += box.top - all.top - all.height / 3;
  };
  document.addEventListener("scroll", () => { if (!waits) { waits = true; requestAnimationFrame(mark); } }, { passive: true });

  // What a link leads to is opened.
  const follow = () => {
    const to = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (to) { reveal(to); to.scrollIntoView(); }
  };
  window.addEventListener("hashchange", follow);
  if (location.hash) follow();

  // Alt and a double click copy code as it stands.
  main.addEventListener("dblclick", (e) => {
    const pre = e.target.closest && e.target.closest("pre");
    if (pre && e.altKey && navigator.clipboard) navigator.clipboard.writeText(pre.textContent);
  });
})();
