(function () {
  "use strict";
  var sections = document.querySelectorAll("section.at");
  var rows = document.querySelectorAll(".run g.step");
  var slider = document.getElementById("slider");
  var said = document.getElementById("said");
  var last = rows.length - 1;
  // After the last step of a run that goes round for ever comes the first of its loop.
  var loop = Number(document.querySelector("main").dataset.loop) || 0;
  function show(step) {
    step = Math.max(0, Math.min(last, step));
    slider.value = step;
    rows.forEach(function (row, at) {
      row.classList.toggle("later", at > step);
      row.classList.toggle("now", at === step);
    });
    sections.forEach(function (section, at) { section.hidden = at !== step; });
    said.textContent = rows[step].querySelector("title").textContent;
    slider.setAttribute("aria-valuetext", said.textContent);
    document.getElementById("back").disabled = step === 0;
    document.getElementById("next").disabled = step === last && !loop;
    try { history.replaceState(null, "", "#" + step); } catch (ignored) { /* a file: address */ }
  }
  function now() { return Number(slider.value); }
  function forward() { show(now() === last && loop ? loop : now() + 1); }
  slider.addEventListener("input", function () { show(now()); });
  document.getElementById("back").addEventListener("click", function () { show(now() - 1); });
  document.getElementById("next").addEventListener("click", forward);
  rows.forEach(function (row, at) { row.addEventListener("click", function () { show(at); }); });
  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target === slider) return;
    var by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Home") by = -last;
    if (event.key === "End") by = last;
    if (by === 1) { forward(); event.preventDefault(); }
    else if (by) { show(now() + by); event.preventDefault(); }
  });
  document.querySelector(".controls").hidden = false;
  var wanted = parseInt(location.hash.slice(1), 10);
  show(isNaN(wanted) ? last : wanted);
})();
