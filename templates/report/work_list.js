// The list of the review: what the filters show, by action or by file, with a selection that never holds what is not shown.
const ROW_HEIGHT = 30;
const MARKS = { accept: '✓', reject: '✕', defer: '…', done: '✔', wont_do: '–' };

// `on`: {choose(finding, where), selected()}.
function make_work_list(page, on) {
  const { model, decisions, words, filter, order } = page;
  const selection = new Set();
  const folded = new Set();  // keys of groups
  let rows = [];             // {group} or {finding}
  let place_of = new Map();
  let shown = [];
  let is_shown = new Set();
  let last_picked = null;
  const list = make_virtual_list({ class: 'findings', id: 'list', tabindex: '0', role: 'listbox', 'aria-multiselectable': 'true', 'aria-label': words.findings }, ROW_HEIGHT, (index) =>
    rows[index].group ? group_row(rows[index].group) : finding_row(rows[index].finding));

  const path_parts = (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return [name === path ? null : mono(path.slice(0, -name.length), 'folder'), mono(name, 'name')];
  };
  function group_row(group) {
    const is_file = group.file !== undefined;
    const open = group.findings.filter((finding) => is_task(finding) && !is_settled(decisions.about(finding))).length;
    const title = is_file ? h('span', { class: 'path-parts' }, path_parts(group.file.path)) : h('span', { class: 'title' }, literal(first_sentence(said(model, words, group.action.message))));
    return h('div', { class: 'row group-row', role: 'presentation', title: is_file ? group.file.path : `${group.action.rule}: ${said(model, words, group.action.message)}`, click: () => fold(group) },
      h('span', { class: 'fold', 'aria-hidden': 'true' }, folded.has(group.key) ? '▸' : '▾'),
      box(group.findings.every((finding) => selection.has(finding)), () => pick_all(group.findings)),
      is_file ? null : h('span', { class: `swatch ${group.action.tasks ? group.action.severity : 'applied'}` }), title,
      h('span', { class: 'muted small' }, open ? words.openOf(number(open), number(group.findings.length)) : number(group.findings.length)));
  }
  // No control of its own: an option of a listbox must have none. By keyboard: x.
  function box(is_on, toggle) {
    return h('span', { class: `box ${is_on ? 'on' : ''}`, 'aria-hidden': 'true', click: (event) => { event.stopPropagation(); toggle(event); } }, is_on ? '✓' : '');
  }
  function finding_row(finding) {
    const decision = decisions.about(finding);
    const is_chosen = finding === page.chosen;
    return h('div', {
      class: `row finding-row ${finding.bucket} ${is_chosen ? 'chosen' : ''} ${decision || ''}`, role: 'option', id: `f-${finding.id}`,
      'aria-selected': String(selection.has(finding)), 'aria-current': is_chosen ? 'true' : null, click: () => on.choose(finding),
    }, box(selection.has(finding), (event) => pick(finding, event.shiftKey)),
    h('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[decision] || ''), h('span', { class: `swatch ${finding.bucket}`, title: words.buckets[finding.bucket] }),
    order.group === 'action' ? h('span', { class: 'path-parts', title: finding.file.path }, path_parts(`${finding.file.path}:${finding.begin.line}`)) : h('span', { class: 'line mono muted' }, String(finding.begin.line)),
    mono(finding.subject, 'subject'), h('span', { class: 'spoken' }, `, ${words.severities[finding.severity]}, ${words.decisions[decision || 'open']}, ${finding.file.path}`));
  }

  // ---- what is shown ----
  function matches(finding) {
    return (!filter.kind || finding.kind === filter.kind) && (!filter.severity || finding.severity === filter.severity) &&
      (!filter.bucket || (filter.bucket === 'review' ? is_task(finding) : finding.bucket === filter.bucket)) &&
      (!filter.rule || finding.rule === filter.rule) && (!filter.certainty || finding.certainty === filter.certainty) &&
      (!filter.program || (finding.file.programs || []).includes(Number(filter.program))) &&
      (!filter.folder || finding.file.path === filter.folder || finding.file.path.startsWith(filter.folder + '/')) &&
      (!filter.decision || (decisions.about(finding) || 'open') === filter.decision) && (!filter.text || haystack(model, finding).includes(filter.text.toLowerCase()));
  }
  function groups_of(findings) {
    const groups = new Map();
    for (const finding of findings) {
      const of = order.group === 'action' ? finding.action : finding.file;
      if (!groups.has(of)) groups.set(of, order.group === 'action' ? { key: of.key, action: of, findings: [] } : { key: of.path, file: of, findings: [] });
      groups.get(of).findings.push(finding);
    }
    const worst = (group) => group.action?.place ?? Math.min(...group.findings.map((finding) => finding.action.place));
    const by = { worst: (a, b) => a.worst - b.worst, most: (a, b) => b.findings.length - a.findings.length, path: (a, b) => a.findings[0].place - b.findings[0].place };
    return [...groups.values()].map((group) => ({ ...group, worst: worst(group) })).sort(by[order.sort]);
  }
  function refresh() {
    rows = [];
    place_of = new Map();
    shown = [];
    for (const group of groups_of(model.findings.filter(matches))) {
      rows.push({ group });
      for (const finding of group.findings) {
        shown.push(finding);
        if (folded.has(group.key)) continue;
        place_of.set(finding, rows.length);
        rows.push({ finding });
      }
    }
    is_shown = new Set(shown);
    for (const finding of selection) if (!is_shown.has(finding)) selection.delete(finding);
    list.reset(rows.length);
    list.root.classList.toggle('is-empty', !rows.length);
    on.selected();
  }
  function fold(group) {
    if (!folded.delete(group.key)) folded.add(group.key);
    refresh();
  }

  // ---- the selection ----
  function pick(finding, is_range) {
    const from = is_range && last_picked ? shown.indexOf(last_picked) : -1;
    const to = shown.indexOf(finding);
    if (from >= 0) for (const one of shown.slice(Math.min(from, to), Math.max(from, to) + 1)) selection.add(one);
    else if (!selection.delete(finding)) selection.add(finding);
    last_picked = finding;
    redraw();
  }
  function pick_all(findings) {
    const all_on = findings.every((finding) => selection.has(finding));
    for (const finding of findings) {
      if (all_on) selection.delete(finding);
      else selection.add(finding);
    }
    redraw();
  }
  function redraw() {
    list.redraw_shown();
    on.selected();
  }

  return {
    root: list.root, refresh, redraw, pick, selection, shown: () => shown, has: (finding) => is_shown.has(finding),
    pick_shown: () => pick_all(shown),
    pick_group: (finding) => pick_all(shown.filter((one) => order.group === 'action' ? one.action === finding.action : one.file === finding.file)),
    fold_group(finding) {
      const key = order.group === 'action' ? finding.action.key : finding.file.path;
      fold({ key });
    },
    // Brings a finding into view; its group is opened.
    show(finding, where) {
      if (!place_of.has(finding)) {
        folded.delete(order.group === 'action' ? finding.action.key : finding.file.path);
        refresh();
      }
      list.redraw_shown();
      if (!place_of.has(finding)) return;
      list.show(place_of.get(finding), where || 'near');
      list.root.setAttribute('aria-activedescendant', `f-${finding.id}`);
    },
  };
}
