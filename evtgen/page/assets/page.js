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

for (const element of document.querySelectorAll("[data-widget]")) widgets[element.dataset.widget](element);
