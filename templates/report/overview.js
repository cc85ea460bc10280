// The overview: where the project stands, in pictures first.
const BUCKETS = ['applied', 'available', 'error', 'warning', 'info'];
const TONES = { ready: 'applied', nothing_found: 'applied', convertible: 'available', review: 'warning', blocked: 'error' };
const SIGNS = { ready: '✓', nothing_found: '✓', convertible: '→', review: '!', blocked: '✕' };
const STATUS_TONES = { native: 'applied', ascend_fork: 'available', replacement: 'warning', unsupported: 'error', unknown: 'info' };

function make_overview(page) {
  const { model, report } = page;
  const words = page.words;
  const summary = report.summary;
  const analyse = report.command === 'analyze';

  function counts_of(findings) {
    const counts = {};
    for (const finding of findings) counts[finding.bucket] = (counts[finding.bucket] || 0) + 1;
    return counts;
  }
  // [[tone, label, count]] as parts of one line.
  function stripe(parts, name) {
    const element = h('div', { class: name, role: 'img', 'aria-label': parts.map(([, label, count]) => `${label}: ${count}`).join(', ') });
    for (const [tone, label, count] of parts) {
      const part = h('span', { class: tone, title: `${label}: ${number(count)}` });
      part.style.flexGrow = count;
      element.append(part);
    }
    return element;
  }
  const bar = (counts, name, labels = words.buckets) => stripe(BUCKETS.filter((bucket) => counts[bucket]).map((bucket) => [bucket, labels[bucket], counts[bucket]]), name);
  const card = (title, ...content) => h('section', { class: 'card', 'aria-label': title }, h('h2', {}, title), content);
  const fact = (value, label) => h('div', {}, h('b', {}, typeof value === 'number' ? number(value) : value), h('span', { class: 'muted small' }, label));
  const link = (text, action, extra) => h('button', { class: `link ${extra || ''}`, type: 'button', click: action }, text);

  function verdict() {
    const tone = TONES[summary.verdict] || 'info';
    const counts = counts_of(model.findings);
    return h('section', { class: `card hero ${tone}`, 'aria-label': words.overview },
      h('div', { class: 'verdict' }, h('span', { class: 'dot', 'aria-hidden': 'true' }, SIGNS[summary.verdict] || '?'),
        h('div', {}, h('h2', {}, words.verdict[summary.verdict] || summary.verdict), h('p', { class: 'muted' }, literal(words.sentence(summary))))),
      model.findings.length ? bar(counts, 'bar') : null,
      h('div', { class: 'legend' }, BUCKETS.filter((bucket) => counts[bucket]).map((bucket) =>
        h('button', { type: 'button', click: () => page.review_with({ bucket }) }, h('span', { class: `swatch ${bucket}` }), h('b', {}, number(counts[bucket])), h('span', {}, words.buckets[bucket])))),
      h('div', { class: 'facts' }, fact(summary.findings, words.findings), fact(summary.to_review, words.toReview), fact(summary.blocking, words.blocking),
        fact(analyse ? summary.available : summary.applied, analyse ? words.rewritable : words.rewritten), fact(summary.files_changed, words.filesChanged),
        fact(summary.files_analysed, words.filesAnalysed), fact(summary.lines, words.lines),
        summary.files_with_problems ? fact(summary.files_with_problems, words.withProblems) : null));
  }

  function by_kind() {
    const largest = Math.max(...summary.by_kind.map((row) => row.findings));
    const tally = new Map();
    for (const finding of model.findings) {
      if (!tally.has(finding.kind)) tally.set(finding.kind, {});
      const counts = tally.get(finding.kind);
      counts[finding.bucket] = (counts[finding.bucket] || 0) + 1;
    }
    const rows = summary.by_kind.map((row) => {
      const mini = bar(tally.get(row.kind) || {}, 'mini');
      mini.style.width = `${Math.max(4, row.findings / largest * 100)}%`;
      return h('tr', {}, h('td', {}, link(words.kinds[row.kind] || row.title, () => page.review_with({ kind: row.kind }))), h('td', { class: 'wide' }, mini),
        [row.findings, row.error, row.warning, row.info, row.to_review].map((value) => h('td', { class: `number ${value ? '' : 'zero'}` }, number(value))));
    });
    const head = [words.kindColumn, '', words.findings, words.severities.error, words.severities.warning, words.severities.info, words.toReview];
    return card(words.byKind, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((label, i) =>
      label ? h('th', { scope: 'col', class: i > 1 ? 'number' : null }, label) : h('td', { class: 'wide' })))), h('tbody', {}, rows))));
  }

  function todo() {
    const list = h('ul', { class: 'actions' });
    const rest = report.actions.slice();
    const button = h('button', { class: 'plain more', type: 'button', click: add }, words.more);
    function add() {
      for (const row of rest.splice(0, 6)) {
        list.append(h('li', {}, h('div', {}, chip(row.severity, words.severities[row.severity]), words.efforts[row.effort] ? h('p', { class: 'small muted' }, words.efforts[row.effort]) : null), h('div', {}, h('p', {}, literal(said(model, words, row.message))),
          h('p', { class: 'small muted' }, link(literal(row.place), () => page.review_finding(row.finding_id), 'mono'), ' ',
            row.findings > 1 ? link(words.morePlaces(number(row.findings - 1)), () => page.review_with(row.kind === 'third_party' ? { rule: row.rule, text: row.subjects[0] } : { rule: row.rule })) : null),
          row.subjects.length > 1 ? h('p', { class: 'small muted' }, `${words.also} `, mono(row.subjects.slice(1, 7).join(', ') + (row.subjects.length > 7 ? ', …' : ''))) : null)));
      }
      button.hidden = rest.length === 0;
    }
    add();
    return card(words.todo, report.actions.length ? list : h('p', { class: 'muted' }, words.noTodo), button);
  }

  function packages() {
    const rows = report.third_party.map((row) => h('tr', {}, h('td', {}, mono(row.package)),
      h('td', {}, chip(STATUS_TONES[row.status] || 'info', words.statuses[row.status] || row.status)), h('td', { class: 'advice' }, literal(said(model, words, row.advice))),
      h('td', { class: 'small where' }, row.places.slice(0, 3).map((place, i) => h('div', {}, link(literal(place), () => page.review_finding(row.finding_ids[i]), 'mono'))),
        row.places.length > 3 ? link(words.morePlaces(row.places.length - 3), () => page.review_with({ kind: 'third_party', text: row.package })) : null)));
    return card(words.packages, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {},
      [words.package, words.status, words.advice, words.where].map((label) => h('th', { scope: 'col' }, label)))), h('tbody', {}, rows))));
  }

  // Each operator of the project's C++ sources: what it computes, where it is and called, what stands for it.
  function operators() {
    if (!report.operators?.length) return null;
    const places = (row, list) => [list.slice(0, 3).map((place) => h('div', {}, mono(place))), list.length > 3 ? link(words.morePlaces(list.length - 3), () => page.review_finding(row.finding_id)) : null];
    const rows = report.operators.map((row) => h('tr', {},
      h('td', {}, mono(row.name), row.signature ? h('div', { class: 'small muted' }, literal(row.signature)) : null),
      h('td', { class: 'advice' }, row.what ? literal(said(model, words, row.what)) : null),
      h('td', { class: 'advice' }, row.replacement ? mono(row.replacement) : h('span', { class: 'muted' }, words.efforts[row.effort] || ''), row.difference ? h('div', { class: 'small' }, literal(said(model, words, row.difference))) : null),
      h('td', { class: 'small where' }, link(literal(row.bindings[0].place), () => page.review_finding(row.finding_id), 'mono'), places(row, row.kernels.map((kernel) => kernel.place))),
      h('td', { class: 'small where' }, places(row, row.calls))));
    return card(words.operators, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {},
      [words.operator, words.computes, words.useInstead, words.where, words.calls].map((label) => h('th', { scope: 'col' }, label)))), h('tbody', {}, rows))));
  }

  // How many files are how far, and what the open findings ask of a person.
  const READINESS_TONES = { ready: 'applied', small_work: 'warning', blocked: 'error' };
  const EFFORT_TONES = { check: 'info', edit: 'available', replace: 'warning', port: 'error', rewrite: 'error deep' };
  function shares(title, counts, titles, tones) {
    const parts = Object.keys(titles).filter((name) => counts?.[name]).map((name) => [tones[name], titles[name], counts[name]]);
    if (!parts.length) return null;
    return h('div', {}, h('h3', {}, title), stripe(parts, 'bar low'),
      h('div', { class: 'legend' }, parts.map(([tone, label, count]) => h('span', {}, h('span', { class: `swatch ${tone}` }), h('b', {}, number(count)), h('span', {}, label)))));
  }
  function effort() {
    const parts = [shares(words.effortFiles, summary.files_by_readiness, words.readinesses, READINESS_TONES), shares(words.effortFindings, summary.by_effort, words.efforts, EFFORT_TONES)];
    return parts.some((part) => part) ? card(words.effort, h('div', { class: 'two' }, parts)) : null;
  }
  const TRANSFER_TONES = { nothing_to_do: 'applied', enough: 'applied', with_edits: 'available', not_enough: 'warning' };
  function programs() {
    const MAX_PROGRAMS = 100;
    if (!report.programs?.length) return null;
    const rows = report.programs.slice(0, MAX_PROGRAMS).map((row) => h('tr', {}, h('td', {}, mono(row.path)),
      h('td', {}, chip(TRANSFER_TONES[row.transfer_to_npu] || 'info', words.transfers[row.transfer_to_npu] || row.transfer_to_npu)),
      [row.files, row.redirected, row.edited, row.left].map((value) => h('td', { class: 'number' }, number(value)))));
    const head = [words.program, words.verdictColumn, words.files, words.redirected, words.edited, words.left];
    return card(words.programs, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((label, i) =>
      h('th', { scope: 'col', class: i > 1 ? 'number' : null }, label)))), h('tbody', {}, rows))));
  }

  // Folders of the second level at most, the largest ones by name.
  function folders() {
    const MAX_FOLDERS = 28;
    const all = new Map();
    for (const finding of model.findings) {
      const name = finding.file.folder.split('/').slice(0, 2).join('/');
      if (!all.has(name)) all.set(name, { name, count: 0, open: {} });
      const folder = all.get(name);
      ++folder.count;
      if (!made_by_run(finding)) folder.open[finding.severity] = (folder.open[finding.severity] || 0) + 1;
    }
    return [...all.values()].sort((a, b) => b.count - a.count).slice(0, MAX_FOLDERS);
  }
  function map() {
    const box = h('div', { class: 'map' });
    for (const { item, x, y, width, height } of squarified(folders(), 100, 46)) {
      const tone = item.open.error ? 'error' : item.open.warning ? 'warning' : 'applied';
      const label = item.name || '.';
      const tile = h('button', { type: 'button', class: `tile ${tone}`, title: `${label}: ${number(item.count)}`, click: () => page.review_with({ folder: item.name }) },
        h('span', { class: 'mono' }, literal(label)), h('b', {}, number(item.count)));
      Object.assign(tile.style, { left: `${x}%`, top: `${y / 46 * 100}%`, width: `${width}%`, height: `${height / 46 * 100}%` });
      box.append(tile);
    }
    return card(words.map, box, h('p', { class: 'muted small' }, words.mapHint));
  }

  // How the versions of the framework support what the project uses; the one that the findings are for in bold.
  function coverage() {
    if (!report.api_coverage?.length) return null;
    const labels = words.coverageColumns;
    const rows = report.api_coverage.map((row) => {
      const counts = { applied: row.supported, warning: row.limited, error: row.unsupported, info: row.not_listed };
      return h('tr', {}, h('td', {}, row.chosen ? h('b', {}, literal(row.version)) : literal(row.version)), h('td', { class: 'wide' }, bar(counts, 'mini', labels)),
        Object.keys(labels).map((bucket) => h('td', { class: `number ${counts[bucket] ? '' : 'zero'}` }, number(counts[bucket]))));
    });
    const head = [words.version, '', ...Object.values(labels)];
    return card(words.coverage, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((label, i) =>
      label ? h('th', { scope: 'col', class: i > 1 ? 'number' : null }, label) : h('td', { class: 'wide' })))), h('tbody', {}, rows))));
  }

  return h('div', { class: 'overview' }, verdict(),
    effort(),
    model.findings.length ? h('div', { class: 'two' }, h('div', { class: 'stack' }, by_kind(), map()), todo()) : null,
    report.third_party.length ? packages() : null, operators(), coverage(), programs(),
    report.notes.length ? card(words.notes, h('ul', { class: 'notes small' }, report.notes.map((note) => h('li', {}, literal(said(model, words, note)))))) : null);
}

// Rectangles for the items, whose `count` is their area, as square as rows of them can be.
function squarified(items, width, height) {
  const total = items.reduce((sum, item) => sum + item.count, 0);
  const out = [];
  let rest = items.map((item) => ({ item, area: item.count / total * width * height }));
  let x = 0;
  let y = 0;
  while (rest.length) {
    const side = Math.min(width - x, height - y);
    const worst = (row) => {
      const sum = row.reduce((all, one) => all + one.area, 0);
      const depth = sum / side;
      return Math.max(...row.map((one) => Math.max(one.area / depth / depth, depth * depth / one.area)));
    };
    let taken = 1;
    while (taken < rest.length && worst(rest.slice(0, taken + 1)) <= worst(rest.slice(0, taken))) ++taken;
    const row = rest.slice(0, taken);
    rest = rest.slice(taken);
    const depth = row.reduce((sum, one) => sum + one.area, 0) / side;
    const upright = width - x >= height - y;
    let at = upright ? y : x;
    for (const { item, area } of row) {
      const length = area / depth;
      out.push(upright ? { item, x, y: at, width: depth, height: length } : { item, x: at, y, width: length, height: depth });
      at += length;
    }
    if (upright) x += depth;
    else y += depth;
  }
  return out;
}
