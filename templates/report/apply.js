// How decisions become files: the command that writes what the page shows as "after", and, on a served page, a button that runs it.
// A word as a shell reads it back, on one line and without what may not be shown: base/shell_word.h is the same.
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\u{e0000}-\u{e007f}]/gu;
function quoted(word) {
  if (/^[\w@%+:,./-][\w@%+=:,./-]*$/.test(word)) return word;
  if (!word.match(UNSHOWN)) return `'${word.replaceAll("'", "'\\''")}'`;
  const bytes = (text) => [...new TextEncoder().encode(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return `$'${word.replace(/[\\'!]/g, bytes).replace(UNSHOWN, bytes)}'`;
}

// `place`: where report.json and decisions.json are. No `output`: in place.
function apply_command(place, is_decided, output) {
  return ['migrator', 'apply', place.report, ...(is_decided ? ['--decisions', place.decisions] : []), ...(output ? ['-o', output] : ['--in-place'])].map(quoted).join(' ');
}

// Of a page that lies next to its report.json; a browser saves decisions.json where it likes.
function place_on_disk() {
  const path = decodeURIComponent(location.pathname);
  return { report: path.slice(0, path.lastIndexOf('/') + 1) + 'report.json', decisions: 'decisions.json', project: '' };
}

// `run`: of a served page: applies, and gives what was said; else null.
function open_apply_dialog(page, place, run) {
  const { report, words, decisions } = page;
  const root = report.root || '.';
  const was_in_place = report.command === 'migrate' && report.output === report.paths[0];
  const copy = h('input', { type: 'text', id: 'apply-output', 'aria-label': words.applyOutput, autocomplete: 'off', spellcheck: 'false', input: draw });
  copy.value = root === '.' ? '../migrated' : `${root.replace(/\/+$/, '')}_migrated`;
  const way = (value, is_first, ...label) => h('label', {}, h('input', { type: 'radio', name: 'apply-way', value, checked: is_first, change: draw }), label);
  const ways = h('fieldset', {}, h('legend', { class: 'spoken' }, words.applyWhere), way('copy', true, words.applyCopy, copy), way('in-place', false, words.applyInPlace, run ? mono(` ${place.project}`) : null));
  const command = h('code', { id: 'apply-command', class: 'mono' });
  const said_of_run = h('pre', { class: 'said', role: 'status', id: 'apply-result' });
  const go = run ? h('button', { type: 'button', class: 'plain strong', id: 'apply-now', click: apply_now }, '') : null;
  const output = () => ways.querySelector('input[value=copy]').checked ? copy.value.trim() : '';

  function draw() {
    command.textContent = apply_command(place, decisions.count() > 0, output());
    if (go) go.textContent = output() ? words.applyGoCopy : words.applyGoInPlace;
  }
  async function apply_now() {
    go.disabled = true;
    said_of_run.textContent = words.applying;
    try {
      said_of_run.textContent = await run({ project: place.project, ...(output() ? { output: output() } : {}) });
    } catch (error) {
      said_of_run.textContent = error.message;
    }
    go.disabled = false;
  }
  const counts = decisions.made();
  const dialog = h('dialog', { class: 'help apply', 'aria-label': words.applyTitle, close: () => dialog.remove() }, h('h2', {}, words.applyTitle),
    h('p', {}, words.applySummary(number(counts.findings), number(counts.files))),
    was_in_place ? h('p', {}, words.applyUndoFirst, ' ', mono(`migrator undo ${quoted(place.report.replace(/report\.json$/, 'applied'))}`)) : null,
    run ? h('p', { class: 'small muted' }, words.applyServed, ' ', mono(place.project)) : h('p', { class: 'small muted' }, decisions.count() ? words.applyHint : words.applyHintNothing),
    ways, h('p', { class: 'command' }, command), said_of_run,
    h('p', { class: 'buttons' }, go, h('button', { type: 'button', class: 'plain', id: 'apply-copy', click: async () => { await copy_text(command.textContent, dialog); page.tell(words.copied); } }, words.copyCommand),
      h('button', { type: 'button', class: 'plain', click: () => dialog.close() }, words.close)));
  draw();
  document.getElementById('app').append(dialog);
  dialog.showModal();
}
