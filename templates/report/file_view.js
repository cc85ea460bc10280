// The file of a finding before and after: in two columns, or, where there is no room for them, in one below the other.
const LINE_HEIGHT = 20;
const has_room = matchMedia('(min-width: 1200px)');

// Rows of two sides as rows of one: of what changes, first all that goes and then all that comes.
function as_unified(rows) {
  const out = [];
  let added = [];
  const flush = () => { out.push(...added); added = []; };
  for (const row of rows) {
    if (row.kind !== 'changed') {
      flush();
      out.push(row);
      continue;
    }
    if (row.old) out.push({ ...row, new: null });
    if (row.new) added.push({ ...row, old: null });
  }
  flush();
  return out;
}

// `on`: {is_shown(edit), after, choose(finding)}; `after`: the head of what it becomes.
function make_file_view(page, finding, on) {
  const { words } = page;
  const file = finding.file;
  const two_sides = side_by_side(file, on.is_shown);
  if (!two_sides.length) return finding.old_text ? h('div', { class: 'code' }, h('pre', { tabindex: '0' }, literal(finding.old_text))) : h('div', {});
  const state = { old: { quote: '' }, new: { quote: '' } };
  for (const row of two_sides) {
    if (row.gap) state.old.quote = state.new.quote = '';
    for (const side of ['old', 'new']) if (row[side]) row[side].tokens = tokens_of(row[side].text, file.type, state[side]);
  }
  const changed = two_sides.some((row) => row.kind === 'changed');
  const layout = !changed ? 'one' : has_room.matches ? 'columns' : 'unified';
  const lines = layout === 'unified' ? as_unified(two_sides) : two_sides;
  const by_line = new Map();
  for (const other of file.findings) {
    if (!by_line.has(other.begin.line)) by_line.set(other.begin.line, []);
    by_line.get(other.begin.line).push(other);
  }
  const view = make_virtual_list({ class: 'sides', id: 'sides', tabindex: '0', role: 'group', 'aria-label': `${file.path}: ${words.before}, ${words.after}` }, LINE_HEIGHT, (index) => line_row(lines[index]));
  const longest = Math.max(...lines.map((row) => Math.max(row.old?.text.length || 0, row.new?.text.length || 0)));
  const shifter = make_shifter(view.root, longest, layout === 'columns' ? 2 : 1);
  view.reset(lines.length);
  const at = lines.findIndex((row) => !row.gap && row.line === finding.begin.line);
  requestAnimationFrame(() => {
    if (at < 0) return;
    view.show(at, 'center');
    // What changes, or at least where it begins.
    const edit = finding.edits.find((one) => one.begin.line === finding.begin.line && one.end.line === one.begin.line);
    shifter.show_columns(edit ? edit.begin.column : finding.begin.column, edit ? edit.end.column : finding.begin.column);
  });
  const heads = layout === 'one' ? [h('span', { id: 'after-head' }, words.unchanged)] : [h('span', {}, words.before), h('span', { id: 'after-head' }, file.original?.sha256 === null ? words.newFile : on.after)];

  function line_row(row) {
    if (row.gap) return h('div', { class: 'line-row gap' }, '⋯');
    const chosen = row.line >= finding.begin.line && row.line <= finding.end.line && finding.kind !== 'file';
    const others = row.old ? by_line.get(row.old.number) || [] : [];
    const side = (name) => {
      const part = row[name];
      if (!part) return h('div', { class: 'side none' });
      return h('div', { class: `side ${name} ${row.kind}` }, h('span', { class: 'no', 'aria-hidden': 'true' }, String(part.number)),
        h('span', { class: 'text', dir: 'ltr' }, coloured(part.text, part.tokens, part.marks)));
    };
    const names = others.map((other) => other.subject).join(', ');
    // In one column, a line that stays is there once.
    const sides = layout === 'columns' ? [side('old'), side('new')] : [side(row.new ? 'new' : 'old')];
    return h('div', { class: `line-row ${chosen ? 'chosen' : ''}` },
      others.length ? h('button', { type: 'button', class: `pin ${others[0].bucket}`, title: names, 'aria-label': `${words.findings}: ${names}`, click: () => on.choose(others[(others.indexOf(finding) + 1) % others.length]) }) : h('span', { class: 'pin none' }),
      sides);
  }
  return h('div', { class: `code ${layout}` }, h('div', { class: 'sides-head small muted' }, heads), view.root, shifter);
}

// One bar moves the long lines of all columns.
function make_shifter(root, longest, columns) {
  const STEP = 40;
  const SPARE = 9;  // characters: line numbers, and some room
  const width = h('div', { class: 'width' });
  width.style.width = `calc(${100 - 100 / columns}% + ${longest + SPARE}ch)`;
  const bar = h('div', { class: 'shifter mono', 'aria-hidden': 'true', scroll: () => root.style.setProperty('--shift', `${-bar.scrollLeft}px`) }, width);
  // A change far to the right is to be seen at once: its end, or its begin where it is longer than a column. What fits is not moved.
  bar.show_columns = (begin, end) => {
    const room = bar.clientWidth / columns;
    const character = (width.offsetWidth - (bar.clientWidth - room)) / (longest + SPARE);
    bar.scrollLeft = Math.max(0, Math.min((end + SPARE) * character - room, (begin - 1) * character));
  };
  root.addEventListener('wheel', (event) => { if (event.deltaX) bar.scrollLeft += event.deltaX; }, { passive: true });
  root.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowRight') bar.scrollLeft += STEP;
    if (event.key === 'ArrowLeft') bar.scrollLeft -= STEP;
  });
  return bar;
}
