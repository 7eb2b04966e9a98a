"use strict";
// Zoom and details of a timeline: the bars place themselves by --b, --d and --zoom, and the browser scrolls.

const timeline = (box) => {
  const scroller = box.querySelector(".scroller");
  const canvas = box.querySelector(".canvas");
  const ticks = box.querySelector(".ticks");
  const detail = box.querySelector(".detail");
  const most = Number(box.dataset.most);
  let zoom = 1;

  const label = () => box.querySelector(".pipe").offsetWidth;
  const width = () => scroller.clientWidth - label();

  // The ticks of the part in view, at a distance of 90 pixels or more.
  const draw = () => {
    const perCycle = (width() * zoom) / most;
    const least = 90 / perCycle;
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    const step = [1, 2, 5, 10].map((digit) => digit * power).find((one) => one >= least);
    const first = Math.floor(scroller.scrollLeft / perCycle / step) * step;
    const last = Math.min(most, (scroller.scrollLeft + width()) / perCycle);
    const made = [];
    for (let at = Math.max(0, first); at <= last; at += step) {
      const tick = document.createElement("i");
      tick.style.setProperty("--b", at);
      tick.textContent = at.toLocaleString("en");
      made.push(tick);
    }
    ticks.replaceChildren(...made);
  };

  // Zooms so that what is at `x` pixels of the scroller stays there.
  const zoomTo = (wanted, x = label() + width() / 2) => {
    const at = (scroller.scrollLeft + x - label()) / zoom;
    zoom = Math.min(Math.max(1, wanted), Math.max(1, most / 40));
    canvas.style.setProperty("--zoom", zoom);
    scroller.scrollLeft = at * zoom - x + label();
    draw();
  };
  const within = (clientX) => clientX - scroller.getBoundingClientRect().left;

  for (const button of box.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => zoomTo(zoom * Number(button.dataset.zoom)));
  }
  box.querySelector(".controls").hidden = false;

  scroller.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = { "+": 2, "=": 2, "-": 0.5, "0": 0 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    zoomTo(zoom * by);
  });
  scroller.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomTo(zoom * 1.0025 ** -event.deltaY, within(event.clientX));
  }, { passive: false });

  // Two fingers zoom; the mouse drags. One finger scrolls as everywhere.
  const fingers = new Map();
  let spread = 0;
  let from = null;
  let moved = false;
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return Math.max(1, Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY));
  };
  scroller.addEventListener("touchstart", (event) => {
    if (event.touches.length === 2) event.preventDefault();
  }, { passive: false });
  scroller.addEventListener("pointerdown", (event) => {
    moved = false;
    if (event.pointerType === "mouse") {
      if (event.button === 0 && event.offsetY < scroller.clientHeight) {
        from = { x: event.clientX, left: scroller.scrollLeft };
      }
      return;
    }
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) spread = apart() / zoom;
  });
  addEventListener("pointermove", (event) => {
    if (from && event.pointerType === "mouse") {
      if (Math.abs(event.clientX - from.x) > 3) moved = true;
      box.classList.toggle("dragged", moved);
      if (moved) scroller.scrollLeft = from.left + from.x - event.clientX;
    }
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      zoomTo(apart() / spread, within((a.clientX + b.clientX) / 2));
    }
  });
  const up = (event) => {
    fingers.delete(event.pointerId);
    from = null;
    box.classList.remove("dragged");
  };
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);

  // A bar in words, with the line that it is emitted from, and the same tile in all pipes of its run.
  const lines = JSON.parse(document.getElementById(box.dataset.lines).textContent);
  const tell = (bar) => {
    detail.textContent = bar.title;
    const [site, text, node] = lines.sites[bar.dataset.l] ?? [];
    if (!site) return;
    const code = document.createElement("code");
    code.textContent = `${site}  ${text}`;
    detail.append(document.createElement("br"), code);
    if (!node) return;
    const link = document.createElement("a");
    link.href = `#${lines.header}-${node}`;
    link.textContent = lines.words.replace("{line}", node);
    detail.append(" ", link);
  };
  scroller.addEventListener("pointerover", (event) => {
    if (event.pointerType === "mouse" && event.target.localName === "b") tell(event.target);
  });
  scroller.addEventListener("click", (event) => {
    const bar = moved ? null : event.target.closest(".track b");
    if (moved) return;
    for (const one of box.querySelectorAll(".same")) one.classList.remove("same");
    if (!bar) return;
    tell(bar);
    const tile = bar.dataset.t;
    const same = tile === undefined ? [bar] : bar.closest(".run").querySelectorAll(`b[data-t="${tile}"]:not(.wait)`);
    for (const one of same) one.classList.add("same");
  });
  scroller.addEventListener("dblclick", (event) => {
    const bar = event.target.closest(".track b");
    if (!bar) return;
    const begin = Number(bar.style.getPropertyValue("--b"));
    const cycles = Number(bar.style.getPropertyValue("--d"));
    zoomTo(most / cycles / 2);
    scroller.scrollLeft = ((begin + cycles / 2) / most) * width() * zoom - width() / 2;
  });

  scroller.addEventListener("scroll", () => requestAnimationFrame(draw));
  new ResizeObserver(draw).observe(scroller);
};
