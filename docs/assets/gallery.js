// A filter of the gallery: rows with all words, in them or in the heading of their kind.
const headings = [...document.querySelectorAll(".md-content h2[id]")];
const hint = document.documentElement.lang === "zh" ? "筛选：softmax、量化 int8、分组 …" : "Filter: softmax, quantise int8, grouped …";
const box = Object.assign(document.createElement("input"), {
  type: "search", className: "filter", placeholder: hint, ariaLabel: hint.split(/[:：]/)[0],
});
headings[0].before(box);
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\s+/);
  for (const heading of headings) {
    const parts = [heading];
    while (parts.at(-1).nextElementSibling && parts.at(-1).nextElementSibling.tagName !== "H2") {
      parts.push(parts.at(-1).nextElementSibling);
    }
    const rows = parts.flatMap((part) => [...part.querySelectorAll("tbody tr")]);
    for (const row of rows) {
      const text = `${heading.textContent} ${row.textContent}`.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    for (const part of parts) part.hidden = rows.every((row) => row.hidden);
  }
});
