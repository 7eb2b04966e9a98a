// The playground: each change of the spec goes to the worker, and into the address of the page.
const language = document.documentElement.lang === "zh" ? "zh" : "en";
const tr = (english, chinese) => (language === "zh" ? chinese : english);
const START = `import evtgen as evt
from evtgen import Acc, RowVector, float32, half, ops


@evt.epilogue
def bias_gelu(acc: Acc[float32], bias: RowVector[half]):
    return {"D": ops.gelu(acc + bias.cast(float32)).cast(half)}
`;
const encoded = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const decoded = (text) => new TextDecoder().decode(
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0)));
const made = (name, ...attributes) => Object.assign(document.createElement(name), ...attributes);

const root = document.querySelector("div#playground");
const spec = made("textarea", { spellcheck: false, ariaLabel: "Spec", rows: 12 });
const said = made("pre", { className: "said", textContent: tr("Loading Python …", "正在加载 Python …") });
const found = made("div");
root.replaceChildren(spec, said, found);

const worker = new Worker(new URL(`playground-worker.js#${language}`, import.meta.url), { type: "module" });
worker.onerror = () => {
  said.textContent = tr("This site was built without Pyodide, or is read without a server.",
    "生成该站点时没有 Pyodide，或者页面不是由服务器提供的。");
};
worker.onmessage = ({ data }) => {
  if (data.of !== spec.value) return;
  said.textContent = data.said;
  found.replaceChildren(...data.epilogues.flatMap((one) => {
    const picture = made("div", { className: "picture" });
    picture.append(made("img", { alt: tr(`The graph of ${one.name}`, `${one.name} 的计算图`), src: `data:image/svg+xml,${encodeURIComponent(one.graph)}` }));
    return [picture, folded(`${one.name}.hpp`, one.header, true), folded("evtgen explain", one.explained, false)];
  }));
  root.dataset.shown = data.of;
};

function folded(title, text, open) {
  const box = made("details", { open });
  box.append(made("summary", { textContent: title }), made("pre", { textContent: text }));
  return box;
}

let timer;
spec.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    history.replaceState(null, "", `#${encoded(spec.value)}`);
    worker.postMessage(spec.value);
  }, 300);
});
try {
  spec.value = decoded(location.hash.slice(1)) || START;
} catch {
  spec.value = START;
}
worker.postMessage(spec.value);
