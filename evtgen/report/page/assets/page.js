"use strict";
// Everything is readable without this; it only makes the page handier.

const widgets = {
  timeline,
  // Shows one panel at a time.
  tabs(box) {
    const panels = [...box.children];
    const list = document.createElement("div");
    list.setAttribute("role", "tablist");
    if (box.dataset.label) list.setAttribute("aria-label", box.dataset.label);
    const buttons = panels.map((panel, number) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = panel.dataset.title;
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", panel.id);
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-label", panel.dataset.title);
      button.addEventListener("click", () => show(number));
      panel.addEventListener("reveal", () => show(number));
      list.append(button);
      return button;
    });
    const show = (chosen) => {
      panels.forEach((panel, number) => panel.classList.toggle("shown", number === chosen));
      buttons.forEach((button, number) => {
        button.setAttribute("aria-selected", String(number === chosen));
        button.tabIndex = number === chosen ? 0 : -1;
      });
    };
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
      show(next);
      buttons[next].focus();
    });
    box.prepend(list);
    box.classList.add("live");
    show(Number(box.dataset.shown));
  },
};

// One epilogue at a time, where there are several: the one that the address names.
const articles = [...document.querySelectorAll("article")];
const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const chosen = target?.closest("article");
  if (chosen) articles.forEach((article) => article.classList.toggle("shown", article === chosen));
  document.querySelectorAll(".epilogues a").forEach((link) => {
    const current = articles.some((article) => article.classList.contains("shown") && `#${article.id}` === link.hash);
    if (current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
  if (chosen) reveal(target);
};
// What a link leads to is seen: its panel, its folded list, its place.
const reveal = (target) => {
  for (let at = target; at; at = at.parentElement) {
    if (at.tagName === "DETAILS") at.open = true;
    if (at.classList.contains("panel")) at.dispatchEvent(new Event("reveal"));
  }
  target.scrollIntoView();
};
if (articles.length > 1) {
  document.body.classList.add("one");
  articles[0].classList.add("shown");
}

let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((details) => (details.open = true));
});
addEventListener("afterprint", () => opened.forEach((details) => (details.open = false)));

for (const element of document.querySelectorAll("[data-widget]")) widgets[element.dataset.widget](element);
addEventListener("hashchange", follow);
follow();
