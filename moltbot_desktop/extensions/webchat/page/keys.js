// This browser's key: given once for the code of a link, kept so that no script can read it back.

const STORE = "keys";
const PROOF_OF = "moltbot-webchat-1\n";
let inMemory = null; // where the browser keeps nothing, the key lasts as long as the tab

function store(mode, work) {
  return new Promise((done, failed) => {
    const asked = indexedDB.open("moltbot-webchat", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(STORE);
    asked.onerror = () => failed(asked.error);
    asked.onsuccess = () => {
      const base = asked.result;
      const transaction = base.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => { base.close(); done(request.result); };
      transaction.onabort = transaction.onerror = () => { base.close(); failed(transaction.error); };
    };
  });
}

// {browser, key}, or null for none.
export async function kept() {
  if (inMemory) return inMemory;
  try {
    return (await store("readonly", (one) => one.get("own"))) || null;
  } catch {
    return null;
  }
}

export async function forget() {
  inMemory = null;
  try {
    await store("readwrite", (one) => one.delete("own"));
  } catch { /* there was none */ }
}

// Give the code of a link for a key. Answers "" or a word of `words.js` for why there is none.
export async function enter(code) {
  let answer;
  try {
    answer = await fetch("/enter", { method: "POST", body: JSON.stringify({ code }) });
  } catch {
    return "not_now";
  }
  if (!answer.ok) return { 401: "link_used", 429: "many" }[answer.status] || "not_now";
  const told = await answer.json();
  const bytes = Uint8Array.from(told.key.match(/../g), (two) => parseInt(two, 16));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  bytes.fill(0);
  inMemory = { browser: told.browser, key };
  try {
    await store("readwrite", (one) => one.put(inMemory, "own"));
  } catch { /* a private window: see `inMemory` */ }
  return "";
}

export async function proof(key, nonce) {
  const signed = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(PROOF_OF + nonce));
  return Array.from(new Uint8Array(signed), (one) => one.toString(16).padStart(2, "0")).join("");
}
