// The page: a line to the assistant that is made again when it is cut, and what came over it.

import { entry, make } from "/drawing.js";
import { enter, forget, kept, proof } from "/keys.js";
import { say, speak, switchLanguage } from "/words.js";

const NOT_LET_IN = 4401, TOO_MANY = 4429;
const MOST_BYTES = 20e6, MOST_FILES = 5;
const PENDING = 1e15; // places of what the assistant has not yet
const QUIET_MS = 1500, NO_ANSWER_MS = 30000;
const at = (id) => document.getElementById(id);

let socket = null, pause = 500, timer = 0;
let epoch = "", seq = 0;
const entries = new Map(); // by id, as told
const unsent = new Map(); // by id: what is not on the assistant's disk yet
let chosen = []; // files of the next message: {id, name, ticket, done}
let writingUntil = 0, askedAt = 0, spoken = "";
const texts = new Map(); // answers that may still grow: id to the time of the last change

// ------------------------------------------------------------------ the line

async function connect() {
  clearTimeout(timer);
  const own = await kept();
  if (!own) return closed("");
  show(true);
  status("connecting");
  const line = new WebSocket(`ws://${location.host}/live`);
  socket = line;
  line.onmessage = (event) => heard(line, own, JSON.parse(event.data));
  line.onclose = (event) => {
    if (socket !== line) return;
    socket = null;
    if (event.code === NOT_LET_IN) return forget().then(() => closed(""));
    status("offline", true);
    timer = setTimeout(connect, event.code === TOO_MANY ? 30000 : pause * (0.5 + Math.random()));
    pause = Math.min(pause * 2, 10000);
  };
}

// Nothing but who we are may be told before the line stands; what waits is told then.
function stands() {
  return Boolean(socket && at("line").dataset.on);
}

function tell(frame) {
  if (stands()) socket.send(JSON.stringify(frame));
}

async function heard(line, own, told) {
  if (line !== socket) return;
  switch (told.t) {
    case "hello":
      line.send(JSON.stringify({ t: "prove", browser: own.browser, proof: await proof(own.key, told.nonce), epoch, seq }));
      break;
    case "news":
      if (!stands()) {
        pause = 500;
        status("online");
        for (const one of chosen) if (!one.ticket) tell(attaching(one));
        for (const one of unsent.values()) tell(frameOf(one));
      }
      news(told);
      break;
    case "older":
      older(told);
      break;
    case "kept":
      unsent.delete(told.id);
      redraw(told.id);
      break;
    case "not":
      refused(told);
      break;
    case "writing":
      writingUntil = Date.now() + told.seconds * 1000;
      tick();
      break;
    case "ticket":
      upload(told);
      break;
  }
}

// ------------------------------------------------------------------ what stands on the page

function news(told) {
  const low = atEnd();
  if (told.whole) {
    entries.clear();
    at("log").replaceChildren();
    at("older").hidden = !told.more;
  }
  ({ epoch, seq } = told);
  // What stands above the page's oldest is not shown before it is asked for. A message that is on
  // its way has no place yet: it may be all there is, and come back together with its answer.
  const places = Array.from(entries.values(), (one) => one.place).filter((place) => place < PENDING);
  const first = places.length ? Math.min(...places) : 0;
  for (const one of told.entries) {
    if (!entries.has(one.id) && one.place < first) continue;
    if (one.who === "assistant") {
      askedAt = 0;
      if (!told.whole) texts.set(one.id, Date.now());
    }
    place(one);
  }
  for (const id of told.gone) {
    entries.delete(id);
    at(`e-${id}`)?.remove();
  }
  for (const one of unsent.values()) if (!entries.has(one.id)) place(pending(one));
  if (low) toEnd();
  tick();
}

function older(told) {
  const main = document.querySelector("main");
  const below = main.scrollHeight - main.scrollTop;
  for (const one of told.entries) place(one);
  at("older").hidden = !told.more;
  main.scrollTop = main.scrollHeight - below;
}

// Put an entry where its place is, or draw it anew.
function place(one) {
  entries.set(one.id, one);
  const state = unsent.get(one.id);
  const drawn = entry(one, state ? state.why || "sending" : "");
  const there = at(`e-${one.id}`);
  drawn.dataset.place = one.place;
  if (there) {
    const button = there.contains(document.activeElement);
    there.replaceWith(drawn);
    if (button) drawn.querySelector("button")?.focus();
    if (Number(there.dataset.place) === one.place) return;
    drawn.remove();
  }
  const next = Array.from(at("log").children).reverse().find((li) => Number(li.dataset.place) <= one.place);
  if (next) next.after(drawn);
  else at("log").prepend(drawn);
}

function redraw(id) {
  if (entries.has(id)) place(entries.get(id));
}

function pending(one) {
  return { id: one.id, place: PENDING + one.number, who: "you", text: one.text, at: one.at, reactions: [], files: [] };
}

function atEnd() {
  const main = document.querySelector("main");
  return main.scrollHeight - main.scrollTop - main.clientHeight < 80;
}

function toEnd() {
  const main = document.querySelector("main");
  main.scrollTop = main.scrollHeight;
}

// What changes with time: the sign that it writes, the hint, what is read out.
function tick() {
  const now = Date.now();
  const low = atEnd();
  const writing = Boolean(socket) && now < writingUntil;
  at("writing").hidden = !writing;
  at("stop").hidden = !writing;
  at("waiting").hidden = writing || !askedAt || now - askedAt < NO_ANSWER_MS;
  for (const [id, changed] of texts) {
    if (writing || now - changed < QUIET_MS) continue;
    texts.delete(id);
    const one = entries.get(id);
    const words = one ? at(`e-${id}`).querySelector(".bubble").textContent : "";
    if (words && spoken !== id + words) {
      spoken = id + words;
      at("spoken").replaceChildren(make("p", {}, `${say("it")}: ${words}`));
    }
  }
  if (low) toEnd();
}

function status(word, bad = false) {
  const line = at("line");
  line.dataset.words = word;
  line.textContent = say(word);
  line.classList.toggle("bad", bad);
  if (word === "online") line.dataset.on = "1";
  else delete line.dataset.on;
}

function show(open) {
  at("open").hidden = at("write").hidden = !open;
  at("closed").hidden = open;
}

function closed(why) {
  show(false);
  const line = at("line");
  delete line.dataset.words;
  delete line.dataset.on;
  line.textContent = "";
  at("why").textContent = why && say(why);
  at("why").dataset.words = why || "";
  if (!why) delete at("why").dataset.words;
}

// ------------------------------------------------------------------ what the person writes

let number = 0;

function frameOf(one) {
  return { t: "say", id: one.id, text: one.text, files: one.files };
}

function send() {
  const text = at("words").value;
  const ready = chosen.filter((one) => one.done);
  if (chosen.length !== ready.length || !(text.trim() || ready.length)) return;
  const one = { id: crypto.randomUUID(), text, files: ready.map((file) => file.ticket), number: number++,
    at: new Date().toISOString(), why: "" };
  unsent.set(one.id, one);
  askedAt = Date.now();
  place(pending(one));
  tell(frameOf(one));
  at("words").value = "";
  chosen = [];
  files();
  grow();
  toEnd();
}

function refused(told) {
  const one = unsent.get(told.id);
  if (!one) return;
  one.why = told.why;
  if (told.again) {
    setTimeout(() => { if (unsent.has(one.id)) tell(frameOf(one)); }, 5000);
  } else {
    // It will not be taken: it stays where it is, and what comes later stands below it.
    unsent.delete(one.id);
    askedAt = 0;
    const places = Array.from(entries.values(), (other) => other.place).filter((place) => place < PENDING);
    const left = { ...pending(one), place: Math.max(0, ...places) + 0.5 };
    place(left);
    const drawn = entry(left, one.why);
    drawn.dataset.place = left.place;
    at(`e-${one.id}`).replaceWith(drawn);
    return;
  }
  redraw(one.id);
}

function grow() {
  const field = at("words");
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

// ------------------------------------------------------------------ files

function choose(list) {
  for (const file of list) {
    if (chosen.length >= MOST_FILES) break;
    const one = { id: crypto.randomUUID(), name: file.name, file, ticket: "", done: false };
    if (file.size > MOST_BYTES || file.size === 0) { notice("large", one); continue; }
    chosen.push(one);
    tell(attaching(one));
  }
  files();
}

function attaching({ id, file }) {
  return { t: "attach", id, name: file.name, type: file.type, size: file.size };
}

async function upload(told) {
  const one = chosen.find((file) => file.id === told.id);
  if (!one) return;
  one.ticket = told.file;
  let done = false;
  if (told.file) {
    try {
      done = (await fetch(`/file/${told.file}`, { method: "POST", body: one.file })).ok;
    } catch { /* told below */ }
  }
  if (done) one.done = true;
  else { chosen = chosen.filter((file) => file !== one); notice(told.file ? "lost" : "large", one); }
  files();
}

function notice(word, one) {
  at("spoken").replaceChildren(make("p", {}, say(word, { name: one.name })));
  const line = at("line");
  line.textContent = say(word, { name: one.name });
  line.classList.add("bad");
}

function files() {
  at("files").replaceChildren(...chosen.map((one) => {
    const off = make("button", { type: "button", "aria-label": `${say("take_off")}: ${one.name}` }, "✕");
    off.addEventListener("click", () => { chosen = chosen.filter((file) => file !== one); files(); at("words").focus(); });
    return make("li", {}, one.done ? one.name : `${one.name} …`, off);
  }));
}

// ------------------------------------------------------------------ the start

function labels() {
  speak();
  const button = at("language");
  button.textContent = say("other");
  button.setAttribute("aria-label", say("other_name"));
  button.lang = document.documentElement.lang === "en" ? "zh-CN" : "en";
  at("words").placeholder = say("write");
  for (const [id, word] of [["words", "write"], ["attach", "attach"], ["down", "down"], ["log", "log"]]) {
    at(id).setAttribute("aria-label", say(word));
  }
  for (const one of entries.values()) place(one);
}

at("language").addEventListener("click", () => { switchLanguage(); labels(); });
at("write").addEventListener("submit", (event) => { event.preventDefault(); send(); });
at("words").addEventListener("input", grow);
at("words").addEventListener("keydown", (event) => {
  // Enter that ends a word of an input method is no end of the message.
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
});
at("words").addEventListener("paste", (event) => { if (event.clipboardData.files.length) { event.preventDefault(); choose(event.clipboardData.files); } });
at("stop").addEventListener("click", () => { tell({ t: "stop" }); at("words").focus(); });
at("older").addEventListener("click", () => { const first = at("log").firstElementChild; if (first) tell({ t: "older", before: first.id.slice(2) }); });
at("down").addEventListener("click", toEnd);
at("attach").addEventListener("click", () => at("file").click());
at("file").addEventListener("change", () => { choose(at("file").files); at("file").value = ""; at("words").focus(); });
let low = true; // the newest message was in sight when the person last scrolled
document.querySelector("main").addEventListener("scroll", () => { low = atEnd(); at("down").hidden = low; });
new ResizeObserver(() => { if (low) toEnd(); }).observe(document.querySelector("main"));
window.addEventListener("online", () => { if (!socket) connect(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && !socket && !at("open").hidden) connect(); });
window.addEventListener("hashchange", begin);
// Only this page knows what is not on the assistant's disk yet.
window.addEventListener("beforeunload", (event) => { if (unsent.size) event.preventDefault(); });
setInterval(tick, 500);

async function begin() {
  const code = location.hash.slice(1);
  if (code) {
    history.replaceState(null, "", "/"); // before anything else: it stands in no history
    const why = await enter(code);
    if (why && !(await kept())) return closed(why);
    if (!why && socket) { const old = socket; socket = null; old.close(); epoch = ""; seq = 0; }
  }
  if (!socket) await connect();
  at("words").focus();
}

labels();
begin();
