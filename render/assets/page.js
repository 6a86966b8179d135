(function () {
  "use strict";
  const find = (id) => document.getElementById(id);
  const pictures = [...document.querySelectorAll(".picture > .run")];
  const rowsOf = pictures.map((picture) => [...picture.querySelectorAll("g.step")]);
  const worlds = document.querySelectorAll("section.at");
  const slider = find("slider");
  const last = worlds.length - 1;
  // After the last step of a run that goes round for ever comes the first of its loop.
  const loop = Number(document.querySelector("main").dataset.loop) || 0;
  const pause = 1800;
  let shown = 0;
  let timer = 0;

  const spoken = (row) => row.querySelector(":scope > title").textContent;
  // The button of a row: what is written on it is no name for those who hear it.
  const bandOf = (row) => row.querySelector(".band");

  function show(step, follow) {
    shown = Math.max(0, Math.min(last, step));
    const focused = document.activeElement && document.activeElement.closest("g.step");
    for (const rows of rowsOf) {
      rows.forEach((row, at) => {
        row.classList.toggle("later", at > shown);
        row.classList.toggle("now", at === shown);
        const band = bandOf(row);
        band.setAttribute("tabindex", at === shown ? 0 : -1);
        band.setAttribute("aria-pressed", at === shown);
      });
      const row = rows[shown];
      if (follow && row.getClientRects().length > 0) {
        bandOf(row).scrollIntoView({ block: "nearest" });
        if (focused) bandOf(row).focus();
      }
    }
    worlds.forEach((world, at) => { world.hidden = at !== shown; });
    slider.value = shown;
    find("count").textContent = `Step ${shown} of ${last}`;
    find("said").textContent = spoken(rowsOf[0][shown]);
    slider.setAttribute("aria-valuetext", find("said").textContent);
    find("back").disabled = shown === 0;
    find("next").disabled = shown === last && !loop;
    try { history.replaceState(null, "", `#${shown}`); } catch { /* not in every frame */ }
  }

  const after = (step) => (step === last && loop ? loop : step + 1);

  function stop() {
    clearInterval(timer);
    timer = 0;
    find("play").textContent = "Play";
  }
  function advance() {
    show(after(shown), true);
    if (shown === last && !loop) stop();
  }
  function playOrPause() {
    if (timer) return stop();
    find("play").textContent = "Pause";
    timer = setInterval(advance, pause);
    if (shown === last && !loop) show(0, true);
    else advance();
  }
  function go(step) {
    stop();
    show(step, true);
  }

  find("play").addEventListener("click", playOrPause);
  find("back").addEventListener("click", () => go(shown - 1));
  find("next").addEventListener("click", () => go(after(shown)));
  slider.addEventListener("input", () => go(Number(slider.value)));
  for (const picture of pictures) picture.setAttribute("role", "group");
  for (const rows of rowsOf) {
    rows.forEach((row, at) => {
      for (const part of row.children) part.setAttribute("aria-hidden", "true");
      const band = bandOf(row);
      band.removeAttribute("aria-hidden");
      band.setAttribute("role", "button");
      band.setAttribute("aria-label", spoken(row));
      row.addEventListener("click", () => go(at));
      row.addEventListener("keydown", (event) => {
        const to = { ArrowDown: shown + 1, ArrowUp: shown - 1, Home: 0, End: last,
                     Enter: at, " ": at }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        go(to);
      });
    });
  }
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === slider) return;
    if (event.key === "ArrowRight") go(after(shown));
    else if (event.key === "ArrowLeft") go(shown - 1);
    else if (event.key === "p" || event.key === "P") playOrPause();
    else return;
    event.preventDefault();
  });
  const wanted = () => Number.parseInt(location.hash.slice(1), 10) || 0;
  window.addEventListener("hashchange", () => { if (wanted() !== shown) go(wanted()); });
  document.querySelector(".controls").hidden = false;
  document.body.classList.add("playing");
  show(wanted(), false);
})();
