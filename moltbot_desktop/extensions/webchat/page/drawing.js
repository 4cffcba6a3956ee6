// Entries as elements. Everything is made by createElement and textContent: nothing that somebody
// wrote is ever read as HTML here, and the page's policy forbids it besides.

import { say, time } from "/words.js";

const TAGS = new Set(("p br hr strong em s code pre blockquote ul ol li h1 h2 h3 h4 h5 h6 a " +
  "table thead tbody tr th td").split(" "));

export function make(tag, attributes = {}, ...inside) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...inside);
  return element;
}

// A node is a text, or [tag, attributes, ...nodes].
function drawn(node) {
  if (typeof node === "string") return document.createTextNode(node);
  const [tag, attributes, ...inside] = node;
  if (!TAGS.has(tag)) return make("span", {}, ...inside.map(drawn));
  if (tag === "pre") return code(node);
  const element = make(tag, {}, ...inside.map(drawn));
  if (tag === "a" && /^(https?|mailto):/i.test(attributes.href || "")) {
    element.href = attributes.href;
    element.title = attributes.href;
    element.target = "_blank";
    element.rel = "noopener noreferrer";
  }
  if (tag === "ol" && Number.isInteger(attributes.start)) element.start = attributes.start;
  return tag === "table" ? make("div", { class: "table", tabindex: "0" }, element) : element;
}

function words(node) {
  return typeof node === "string" ? node : node.slice(2).map(words).join("");
}

function code(node) {
  const inner = node.slice(2).find((one) => Array.isArray(one) && one[0] === "code");
  const text = words(node).replace(/\n$/, "");
  return make("div", { class: "code" },
    make("header", {}, make("span", {}, (inner && inner[1].lang) || ""), copier(() => text)),
    make("pre", { tabindex: "0" }, make("code", {}, text)));
}

function copier(text) {
  const button = make("button", { type: "button", "data-words": "copy" }, say("copy"));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = say("copied");
      setTimeout(() => { button.textContent = say("copy"); }, 1500);
    } catch { /* the browser does not allow it: the words can be marked by hand */ }
  });
  return button;
}

function shared(file) {
  const address = `/file/${encodeURIComponent(file.id)}`;
  const link = make("a", { href: address, download: file.name }, `${file.name} (${size(file.size)})`);
  if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return make("li", {}, link);
  return make("li", {}, make("img", { src: address, alt: file.name, loading: "lazy" }), link);
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// One entry of the conversation; `state` is what the page itself knows of it: "sending", or why
// it was not taken.
export function entry(one, state = "") {
  const mine = one.who === "you";
  const bubble = make("div", { class: "bubble", dir: "auto" });
  if (mine) bubble.append(one.text);
  else bubble.append(...one.body.map(drawn));
  if (one.files.length) bubble.append(make("ul", { class: "files" }, ...one.files.map(shared)));
  const meta = make("div", { class: "meta" }, make("span", { class: "unseen" }, say(mine ? "you" : "it")),
    make("time", { datetime: one.at }, time(one.at)));
  if (one.reactions.length) meta.append(make("span", {}, one.reactions.join(" ")));
  if (state === "sending") meta.append(make("span", {}, say("sending")));
  else if (state) meta.append(make("span", { class: "bad" }, say("failed", { why: state })));
  if (!mine) meta.append(copier(() => one.text));
  return make("li", { class: `${mine ? "you" : "it"}${state ? " kept-not" : ""}`, id: `e-${one.id}` }, bubble, meta);
}
