// The review: a list of findings, and the one that is chosen, with its file side by side.
const ROW_HEIGHT = 30;
const LINE_HEIGHT = 20;
const FILTERS = ['text', 'kind', 'severity', 'bucket', 'rule', 'folder', 'certainty', 'decision'];

function make_review(page) {
  const { model, decisions, words } = page;
  const filter = page.filter;
  let rows = [];     // {file, count} or {finding}
  let place_of = new Map();
  let shown = [];
  const count_line = h('p', { role: 'status', class: 'muted small', id: 'count' });
  const list = make_virtual_list({ class: 'findings', id: 'list', tabindex: '0', role: 'listbox', 'aria-label': words.findings }, ROW_HEIGHT, list_row);
  const detail = h('section', { class: 'detail', id: 'detail', 'aria-label': words.review, tabindex: '-1' });
  const controls = {};

  // ---- the list ----
  function list_row(index) {
    const row = rows[index];
    if (row.file) {
      return h('div', { class: 'row file-row', role: 'presentation' }, mono(row.file.path), h('span', { class: 'muted small' }, number(row.count)));
    }
    const finding = row.finding;
    const decision = decisions.about(finding);
    const chosen = finding === page.chosen;
    return h('div', {
      class: `row finding-row ${finding.bucket} ${chosen ? 'chosen' : ''} ${decision || ''}`, role: 'option', id: `f-${finding.id}`,
      'aria-selected': chosen ? 'true' : 'false',
      click: () => choose(finding),
    }, h('span', { class: 'mark', 'aria-hidden': 'true' }, { accept: '✓', reject: '✕', defer: '…' }[decision] || (is_decidable(finding) ? '' : '·')),
    h('span', { class: `swatch ${finding.bucket}`, title: words.buckets[finding.bucket] }), h('span', { class: 'line mono muted' }, String(finding.begin.line)), mono(finding.subject, 'subject'),
    h('span', { class: 'spoken' }, `, ${words.severities[finding.severity]}, ${words.decisions[decision || 'open']}, ${finding.file.path}`));
  }

  function matches(finding) {
    return (!filter.kind || finding.kind === filter.kind) && (!filter.severity || finding.severity === filter.severity) &&
      (!filter.bucket || (filter.bucket === 'review' ? finding.bucket === 'error' || finding.bucket === 'warning' : finding.bucket === filter.bucket)) &&
      (!filter.rule || finding.rule === filter.rule) && (!filter.certainty || finding.certainty === filter.certainty) &&
      (filter.folder === '' || finding.file.path.startsWith(filter.folder + '/')) &&
      (!filter.decision || (decisions.about(finding) || 'open') === filter.decision) && (!filter.text || haystack(model, finding).includes(filter.text.toLowerCase()));
  }
  function refresh() {
    rows = [];
    place_of = new Map();
    shown = model.findings.filter(matches);
    let header = null;
    for (const finding of shown) {
      if (header?.file !== finding.file) rows.push(header = { file: finding.file, count: 0 });
      ++header.count;
      place_of.set(finding, rows.length);
      rows.push({ finding });
    }
    list.reset(rows.length);
    list.root.classList.toggle('is-empty', !rows.length);
    count_line.textContent = shown.length ? words.shown(number(shown.length), number(model.findings.length)) : model.findings.length ? words.noMatch : words.none;
    if (page.chosen && place_of.has(page.chosen)) list.show(place_of.get(page.chosen), 'near');
  }

  // ---- choosing ----
  function choose(finding, where) {
    const before = page.chosen;
    page.chosen = finding;
    if (!place_of.has(finding)) { page.clear_filter(); controls_from_filter(); refresh(); }
    if (before && place_of.has(before)) list.redraw(place_of.get(before));
    list.redraw(place_of.get(finding));
    list.show(place_of.get(finding), where || 'near');
    list.root.setAttribute('aria-activedescendant', `f-${finding.id}`);
    draw_detail();
  }
  function step(direction) {
    if (!shown.length) return;
    const at = page.chosen ? shown.indexOf(page.chosen) : -1;
    const next = at < 0 ? (direction > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + direction));
    choose(shown[next]);
  }
  function next_open() {
    const from = page.chosen ? shown.indexOf(page.chosen) : -1;
    for (let i = 1; i <= shown.length; ++i) {
      const finding = shown[(from + i + shown.length) % shown.length];
      if (is_decidable(finding) && !decisions.about(finding)) return choose(finding);
    }
    return undefined;
  }
  function decide(decision) {
    if (!page.chosen) return;
    decisions.decide(page.chosen, scope.value, decision);
    if (scope.value !== 'finding' || filter.decision) refresh();
    else list.redraw(place_of.get(page.chosen));
    draw_detail();
  }

  // ---- the chosen finding ----
  const scope = h('select', { id: 'scope', 'aria-label': words.scope, change: draw_detail }, ['finding', 'rule', 'folder'].map((value) => h('option', { value }, words.scopes[value])));
  const decision_button = (decision, label, key) => h('button', { type: 'button', class: `decide ${decision || 'clear'}`, 'data-decision': decision || 'clear', 'aria-keyshortcuts': key, click: () => decide(decision) }, label, h('kbd', {}, key));

  function draw_detail() {
    const finding = page.chosen;
    if (!finding) {
      detail.replaceChildren(h('p', { class: 'empty muted' }, words.choose));
      return;
    }
    const decision = decisions.about(finding);
    const comment = h('input', { id: 'comment', type: 'text', placeholder: words.comment, 'aria-label': words.comment, autocomplete: 'off', change: (event) => decisions.set_comment(finding, scope.value, event.target.value.trim()) });
    comment.value = decisions.comment(finding, scope.value);
    const buttons = [decision_button('accept', words.accept, 'a'), decision_button('reject', words.reject, 'r'), decision_button('defer', words.defer, 'd'), decision_button(undefined, words.clearDecision, 'u')];
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.decision === (decision || 'clear')));
    // The parts are made anew; who works with the keyboard stays on the same one.
    const active = detail.contains(document.activeElement) ? document.activeElement : null;
    const part = active?.dataset.decision ? `[data-decision="${active.dataset.decision}"]` : active?.id ? `#${active.id}` : null;
    detail.replaceChildren(
      h('div', { class: 'detail-head' },
        h('p', { class: 'path small muted' }, mono(`${finding.file.path}:${finding.begin.line}:${finding.begin.column}`)),
        h('h2', {}, mono(finding.subject)),
        h('p', { class: 'chips' }, chip(finding.severity, words.severities[finding.severity]), chip(finding.bucket, words.states[finding.state]), chip('info', words.kinds[finding.kind] || finding.kind), chip('info', words.certainties[finding.certainty]),
          words.efforts[finding.effort] && !made_by_run(finding) && finding.state !== 'at_run_time' ? chip('info', words.efforts[finding.effort]) : null),
        h('p', { class: 'message' }, literal(said(model, words, finding.message))), remark(finding),
        h('div', { class: 'decide-bar' }, h('span', { class: 'buttons', role: 'group', 'aria-label': words.decision }, buttons), scope, comment, h('button', { type: 'button', class: 'plain', click: next_open }, words.nextOpen, h('kbd', {}, 'n'))),
        rule_box(finding)),
      file_view(finding));
    if (part) detail.querySelector(part)?.focus();
  }
  function remark(finding) {
    const text = finding.together ? words.together : finding.edits.length ? (finding.state === 'uncertain' ? words.proposal : '') : made_by_run(finding) ? words.follows : finding.severity === 'info' ? words.onlyKnow : words.noFix;
    return text ? h('p', { class: 'small muted' }, text) : null;
  }
  // Each citation with the address of what it names: "PyTorch source: torch/_ops.py".
  function cited(source) {
    return (source || '–').split('; ').flatMap((citation, index) => {
      const entry = page.report.sources?.[citation.split(': ')[0]];
      const shown = entry ? [h('a', { href: entry.url, target: '_blank', rel: 'noopener noreferrer', title: `${entry.title}, ${entry.version}, ${entry.read}` }, literal(citation))] : literal(citation);
      return index ? ['; ', ...shown] : shown;
    });
  }
  // What the rule says in general, and where that comes from.
  let rule_is_open = false;
  function rule_box(finding) {
    const rule = model.rules.get(finding.rule);
    const row = (title, ...content) => [h('dt', {}, title), h('dd', {}, content)];
    const names = rule?.names.map(({ from, to }) => h('li', {}, mono(to ? `${from} → ${to}` : from))) || [];
    const more = rule?.name_count > names.length ? h('li', { class: 'muted' }, words.morePlaces(number(rule.name_count - names.length))) : null;
    return h('details', { class: 'rule', open: rule_is_open, toggle: (event) => { rule_is_open = event.target.open; } }, h('summary', {}, words.explain, ' ', mono(finding.rule)),
      h('dl', {}, rule ? row(words.about, literal(said(model, words, rule.message))) : null, rule && model.fixing_rules.has(rule.id) ? row(words.needs, words.certainties[rule.certainty]) : null,
      names.length ? row(words.names, h('ul', { class: 'small' }, names, more)) : null,
      row(words.source, cited(finding.source)),
      row(words.rule, h('button', { type: 'button', class: 'link', click: () => page.review_with({ rule: finding.rule }) }, words.uses(model.of_rule.get(finding.rule)))),
      row(words.terminal, mono(`migrator explain ${finding.rule}`))));
  }

  // Which edits the right side shows: those that are on, and the chosen finding's own as a proposal.
  const is_proposed = (finding) => finding.edits.length > 0 && !decisions.about(finding) && !decisions.is_on(finding);
  function is_shown(edit) {
    return edit.findings.some((id) => {
      const finding = model.by_id.get(id);
      return finding && (decisions.is_on(finding) || (finding === page.chosen && is_proposed(finding)));
    });
  }
  function file_view(finding) {
    const file = finding.file;
    const lines = side_by_side(file, is_shown);
    if (!lines.length) return finding.old_text ? h('div', { class: 'code' }, h('pre', { tabindex: '0' }, literal(finding.old_text))) : h('div', {});
    const state = { old: { quote: '' }, new: { quote: '' } };
    for (const row of lines) {
      if (row.gap) state.old.quote = state.new.quote = '';
      for (const side of ['old', 'new']) if (row[side]) row[side].tokens = tokens_of(row[side].text, file.type, state[side]);
    }
    const by_line = new Map();
    for (const other of file.findings) {
      if (!by_line.has(other.begin.line)) by_line.set(other.begin.line, []);
      by_line.get(other.begin.line).push(other);
    }
    const view = make_virtual_list({ class: 'sides', id: 'sides', tabindex: '0', role: 'group', 'aria-label': `${file.path}: ${words.before}, ${words.after}` }, LINE_HEIGHT, (index) => line_row(lines[index], by_line, finding));
    const changed = lines.some((row) => row.kind === 'changed');
    const longest = Math.max(...lines.map((row) => Math.max(row.old?.text.length || 0, row.new?.text.length || 0)));
    const shifter = make_shifter(view.root, longest);
    view.reset(lines.length);
    const at = lines.findIndex((row) => !row.gap && row.line === finding.begin.line);
    requestAnimationFrame(() => {
      if (at < 0) return;
      view.show(at, 'center');
      // What changes, or at least where it begins.
      const edit = finding.edits.find((one) => one.begin.line === finding.begin.line && one.end.line === one.begin.line);
      shifter.show_columns(edit ? edit.begin.column : finding.begin.column, edit ? edit.end.column : finding.begin.column);
    });
    return h('div', { class: `code ${changed ? '' : 'one'}` }, h('div', { class: 'sides-head small muted' }, h('span', {}, words.before), h('span', { id: 'after-head' }, file.original?.sha256 === null ? words.newFile : is_proposed(finding) ? words.afterIfAccepted : words.after)), view.root, shifter);
  }
  // One bar moves the long lines of both sides.
  function make_shifter(root, longest) {
    const STEP = 40;
    const width = h('div', { class: 'width' });
    width.style.width = `calc(50% + ${longest + 8}ch)`;
    const bar = h('div', { class: 'shifter mono', 'aria-hidden': 'true', scroll: () => root.style.setProperty('--shift', `${-bar.scrollLeft}px`) }, width);
    // A change far to the right is to be seen at once: its end, or its begin where it is longer than a side.
    bar.show_columns = (begin, end) => {
      const SPARE = 9;  // line numbers, and some room
      const character = (width.offsetWidth - bar.clientWidth / 2) / (longest + 8);
      bar.scrollLeft = Math.max(0, Math.min((end + SPARE) * character - bar.clientWidth / 2, (begin - 1) * character));
    };
    root.addEventListener('wheel', (event) => { if (event.deltaX) bar.scrollLeft += event.deltaX; }, { passive: true });
    root.addEventListener('keydown', (event) => {
      if (event.key === 'ArrowRight') bar.scrollLeft += STEP;
      if (event.key === 'ArrowLeft') bar.scrollLeft -= STEP;
    });
    return bar;
  }
  function line_row(row, by_line, finding) {
    if (row.gap) return h('div', { class: 'line-row gap' }, '⋯');
    const chosen = row.line >= finding.begin.line && row.line <= finding.end.line && finding.kind !== 'file';
    const others = row.old ? by_line.get(row.old.number) || [] : [];
    const side = (name) => {
      const part = row[name];
      if (!part) return h('div', { class: 'side none' });
      return h('div', { class: `side ${name} ${row.kind}` }, h('span', { class: 'no', 'aria-hidden': 'true' }, String(part.number)),
        h('span', { class: 'text', dir: 'ltr' }, coloured(part.text, part.tokens, part.marks)));
    };
    return h('div', { class: `line-row ${chosen ? 'chosen' : ''}` },
      others.length ? h('button', { type: 'button', class: `pin ${others[0].bucket}`, title: others.map((other) => other.subject).join(', '), 'aria-label': `${words.findings}: ${others.map((other) => other.subject).join(', ')}`, click: () => choose(others[(others.indexOf(finding) + 1) % others.length]) }) : h('span', { class: 'pin none' }),
      side('old'), side('new'));
  }

  // ---- filters ----
  function select(name, options) {
    controls[name] = h('select', { id: `filter-${name}`, change: (event) => { filter[name] = event.target.value; refresh(); } }, h('option', { value: '' }, words.all), options.map(([value, title]) => h('option', { value }, title)));
    return h('label', {}, words[name === 'bucket' ? 'state' : name], controls[name]);
  }
  function counted(key, titles) {
    const counts = new Map();
    for (const finding of model.findings) counts.set(finding[key], (counts.get(finding[key]) || 0) + 1);
    const keys = titles ? Object.keys(titles).filter((name) => counts.has(name)) : [...counts.keys()].sort();
    return keys.map((value) => [value, `${titles ? titles[value] : value} (${number(counts.get(value))})`]);
  }
  function folder_options() {
    const folders = new Set();
    for (const file of model.report.files) {
      const parts = file.folder.split('/');
      for (let i = 1; i <= parts.length; ++i) if (parts[0]) folders.add(parts.slice(0, i).join('/'));
    }
    return [...folders].sort().slice(0, 2000).map((folder) => [folder, folder]);
  }
  function tools() {
    let timer = 0;
    controls.text = h('input', { id: 'search', type: 'search', placeholder: words.searchHint, autocomplete: 'off', spellcheck: 'false', input: (event) => {
      clearTimeout(timer);
      timer = setTimeout(() => { filter.text = event.target.value.trim(); refresh(); }, 120);
    } });
    return h('div', { class: 'tools', role: 'search', 'aria-label': words.search }, h('label', { class: 'grow' }, words.search, controls.text),
      select('severity', counted('severity', words.severities)), select('kind', counted('kind', words.kinds)),
      select('bucket', [['review', words.toReview], ...counted('bucket', words.buckets)]), select('decision', Object.entries(words.decisions)),
      select('certainty', counted('certainty', words.certainties)), select('rule', counted('rule', null)), select('folder', folder_options()),
      h('button', { class: 'plain', type: 'button', click: () => { page.clear_filter(); controls_from_filter(); refresh(); } }, words.clear));
  }
  function controls_from_filter() {
    for (const name of FILTERS) controls[name].value = filter[name];
  }

  const root = h('div', { class: 'review' }, tools(), h('div', { class: 'panes' }, h('div', { class: 'left' }, count_line, list.root), detail));
  controls_from_filter();
  return {
    root, step, next_open, decide, choose, refresh() { controls_from_filter(); refresh(); draw_detail(); },
    focus_search: () => controls.text.focus(), focus_comment: () => document.getElementById('comment')?.focus(),
    next_scope() {
      scope.selectedIndex = (scope.selectedIndex + 1) % scope.options.length;
      draw_detail();
    },
    shown: () => shown,
  };
}
