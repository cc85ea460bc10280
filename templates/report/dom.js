// Elements and texts. Every text of the user's project enters the page as a text node; nothing is ever parsed as HTML.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Characters that reorder or hide text are shown as what they are: code must not look like other code.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function literal(value) {
  const out = [];
  let end = 0;
  for (const match of String(value).matchAll(HIDDEN)) {
    if (match.index > end) out.push(value.slice(end, match.index));
    out.push(h('span', { class: 'control' }, 'U+' + match[0].codePointAt(0).toString(16).toUpperCase().padStart(4, '0')));
    end = match.index + match[0].length;
  }
  if (end < value.length) out.push(value.slice(end));
  return out;
}

// A report may come from elsewhere: nothing else becomes a link.
const is_web_address = (text) => /^https?:\/\//i.test(text);
const mono = (value, extra) => h('span', { class: `mono ${extra || ''}`, dir: 'ltr' }, literal(value));
const number = (value) => value.toLocaleString('en-US');
const chip = (tone, label) => h('span', { class: `chip ${tone}` }, label);

// What a browser may refuse to a page from the disk.
const storage = {
  get(key) { try { return localStorage.getItem(key); } catch { return null; } },
  set(key, value) { try { localStorage.setItem(key, value); return true; } catch { return false; } },
};

// Into the clipboard; `host`: an element that may hold a field for it.
async function copy_text(text, host) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // of a page from the disk
    const area = h('textarea', { class: 'spoken' });
    area.value = text;
    host.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
