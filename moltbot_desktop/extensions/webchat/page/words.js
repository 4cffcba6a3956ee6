// What the page says, in both languages; the browser's language to begin with.

const WORDS = {
  en: {
    skip: "To the message field", other: "中文", other_name: "切换到中文", title: "Moltbot",
    closed: "This browser is not let in yet", how: "Get a link from the assistant on this computer. In a terminal:",
    how_window: "Or write /webchat in its window and click the link.",
    link_used: "The link was used already, or is older than two minutes. If it was not you who used it: moltbot-desktop webchat --forget",
    many: "Too many wrong attempts; try again in a minute.", not_now: "The assistant cannot do that just now; try again.",
    connecting: "Connecting …", online: "On this computer", offline: "Not connected; trying again …",
    older: "Earlier messages", writing: "is writing …",
    waiting: "No answer yet. The assistant may be waiting for a yes in its window.",
    stop: "Stop", send: "Send", attach: "Attach a file", take_off: "Take off", write: "Write a message",
    copy: "Copy", copied: "Copied", you: "You", it: "Assistant", sending: "sending …",
    down: "To the newest message", log: "Conversation", large: "{name} is too large; 20 MB at most.",
    failed: "not sent: {why}", lost: "{name} did not come over.",
  },
  zh: {
    skip: "跳到输入框", other: "English", other_name: "Switch to English", title: "Moltbot",
    closed: "这个浏览器还没有放行", how: "请在这台电脑上向助手要一个链接。在终端里运行：",
    how_window: "或者在助手的窗口里输入 /webchat，再点链接。",
    link_used: "链接已经用过，或者超过了两分钟。如果不是你用的，请运行：moltbot-desktop webchat --forget",
    many: "错误次数太多，请一分钟后再试。", not_now: "助手现在做不到，请再试一次。",
    connecting: "正在连接……", online: "就在这台电脑上", offline: "没有连上，正在重试……",
    older: "更早的消息", writing: "正在输入……",
    waiting: "还没有回答。助手可能在自己的窗口里等你同意。",
    stop: "停止", send: "发送", attach: "添加文件", take_off: "移除", write: "输入消息",
    copy: "复制", copied: "已复制", you: "你", it: "助手", sending: "正在发送……",
    down: "到最新消息", log: "对话", large: "{name} 太大，最多 20 MB。",
    failed: "没有发出：{why}", lost: "{name} 没有传过来。",
  },
};

let language = kept() || (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en");

function kept() {
  try {
    const found = localStorage.getItem("language");
    return found in WORDS ? found : "";
  } catch {
    return "";
  }
}

export function say(key, slots = {}) {
  return WORDS[language][key].replace(/\{(\w+)\}/g, (_, name) => slots[name]);
}

export function time(iso) {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  const form = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return Number.isNaN(at.getTime()) ? "" : at.toLocaleString(language === "zh" ? "zh-CN" : "en", form);
}

export function switchLanguage() {
  language = language === "zh" ? "en" : "zh";
  try {
    localStorage.setItem("language", language);
  } catch { /* it holds for this page then */ }
  speak();
}

export function speak() {
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
  for (const one of document.querySelectorAll("[data-words]")) one.textContent = say(one.dataset.words);
  for (const one of document.querySelectorAll("[data-label]")) one.setAttribute("aria-label", say(one.dataset.label));
}
