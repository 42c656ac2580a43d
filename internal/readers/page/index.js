// The words that are typed have to stand in a row, in any order.
(() => {
  const box = document.querySelector("input"), out = document.querySelector("output"), rows = [...document.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => [...row.cells].map((c) => c.textContent).join(" ").toLowerCase());
  const search = () => {
    const words = box.value.toLowerCase().split(/\s+/);
    let n = 0;
    rows.forEach((row, i) => { row.hidden = !words.every((w) => texts[i].includes(w)); n += !row.hidden; });
    out.textContent = box.value.trim() ? `${n} of ${rows.length}` : "";
  };
  document.getElementById("bar").hidden = false;
  box.addEventListener("input", search);
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && e.target !== box) { e.preventDefault(); box.focus(); }
    if (e.key === "Escape") { box.value = ""; search(); }
  });
  search();
})();
