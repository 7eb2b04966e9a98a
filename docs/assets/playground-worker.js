// Runs evtgen beside the page, in the language that its address has: specs in, what they make out.
import { loadPyodide } from "../playground/pyodide.mjs";
import loadFormatter, { format } from "../playground/clang-format.js";

const at = (name) => new URL(`../playground/${name}`, import.meta.url);
const ready = (async () => {
  const [python, bundle, style] = await Promise.all([
    loadPyodide({ env: { EVTGEN_LANG: location.hash.slice(1) } }), fetch(at("bundle.zip")).then((one) => one.arrayBuffer()),
    fetch(at("style.json")).then((one) => one.text()), loadFormatter(at("clang-format.wasm")),
  ]);
  python.unpackArchive(bundle, "zip");
  return [python.pyimport("shown").shown, style];
})();

onmessage = async ({ data }) => {
  try {
    const [shown, style] = await ready;
    const found = JSON.parse(shown(data));
    for (const one of found.epilogues) one.header = format(one.header, `${one.name}.hpp`, style);
    postMessage({ of: data, ...found });
  } catch (error) {
    postMessage({ of: data, said: error.message, epilogues: [] });
  }
};
