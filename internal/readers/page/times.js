"use strict";
// Times are shown in the zone of the reader; without script they are those of UTC. A day stands in front where it is another than before.
(() => {
  const two = (n) => String(n).padStart(2, "0");
  let before = "";
  for (const t of document.querySelectorAll("time")) {
    const d = new Date(t.dateTime), clock = `${two(d.getHours())}:${two(d.getMinutes())}`;
    const day = `${d.getDate()} ${"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")[d.getMonth()]}`;
    if (t.className === "date") t.textContent = `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${clock}`;
    else if (t.className === "from") t.textContent = `${before = `${day} ${d.getFullYear()}`}, ${clock}`;
    else if (t.className === "to") { t.textContent = before === `${day} ${d.getFullYear()}` ? clock : `${day} ${d.getFullYear()}, ${clock}`; before = ""; }
    else { t.textContent = `${before && before !== day ? `${day} ` : ""}${clock}:${two(d.getSeconds())}`; before = day; }
  }
  for (const zone of document.querySelectorAll(".zone")) zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
})();
