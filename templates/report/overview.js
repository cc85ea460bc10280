// The overview: the first screen, and below it the tables.
const BUCKETS = ['applied', 'available', 'error', 'warning', 'info'];
const STATUS_TONES = { native: 'applied', ascend_fork: 'available', replacement: 'warning', unsupported: 'error', unknown: 'info' };

function make_overview(page) {
  const { model, report } = page;
  const words = page.words;
  const summary = report.summary;

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
  const link = (text, action, extra) => h('button', { class: `link ${extra || ''}`, type: 'button', click: action }, text);

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
      label ? h('th', { scope: 'col', class: i > 2 ? 'number' : null }, label) : h('td', { class: 'wide' })))), h('tbody', {}, rows))));
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

  // Packages of which nothing is known, and where they are imported or asked for.
  function unknown_packages() {
    if (!report.unknown_packages?.length) return null;
    const rows = report.unknown_packages.map((row) => h('tr', {}, h('td', {}, mono(row.package)), h('td', {}, row.imported ? words.byCode : words.askedFor),
      h('td', { class: 'small where' }, row.places.slice(0, 3).map((place) => h('div', {}, mono(place))), row.places.length > 3 ? h('div', { class: 'muted' }, words.morePlaces(row.places.length - 3)) : null)));
    return card(words.unknownPackages, h('p', { class: 'small muted' }, words.unknownPackagesHint), h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {},
      [words.package, words.inProject, words.where].map((label) => h('th', { scope: 'col' }, label)))), h('tbody', {}, rows))));
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
  const PROGRAM_TONES = { runs: 'applied', runs_with: 'applied', edit: 'available', open: 'warning', blocked: 'error', cuda_only: 'info', obsolete: 'warning' };
  const listed = new Set(report.files.flatMap((file) => file.programs || []));
  // A program, what it needs on the NPU, and what stops it there; its name shows the findings of what it loads.
  function program_cell(row, place) {
    const MAX_PLACES = 5;
    const some = (label, texts) => texts?.length ? h('p', { class: 'small muted' }, `${label} `, mono(texts.slice(0, MAX_PLACES).join(', ') + (texts.length > MAX_PLACES ? ', …' : ''))) : null;
    const stops = [...row.blockers, ...row.open].map((id) => model.by_id.get(id)).filter((finding) => finding).slice(0, MAX_PLACES);
    return h('td', {}, listed.has(place) ? link(literal(row.name), () => page.review_with({ program: String(place) }), 'mono') : mono(row.name),
      some(words.startedBy, row.origin ? [row.origin] : []), some(words.startedWith, row.with), some(words.needsBuild, row.needs), some(words.notWith, row.not_with),
      stops.length ? h('p', { class: 'small muted' }, `${words.stoppedBy} `, stops.map((finding, i) => [i ? ', ' : '', link(literal(`${finding.file.path}:${finding.begin.line}`), () => page.review_finding(finding.id), 'mono')])) : null);
  }
  function programs() {
    const STEP = 10;
    const rest = (report.programs || []).map((row, place) => [row, place]);
    if (!rest.length) return null;
    const body = h('tbody');
    const button = h('button', { class: 'plain more', type: 'button', click: add }, words.more);
    function add() {
      body.append(...rest.splice(0, STEP).map(([row, place]) => h('tr', {}, program_cell(row, place), h('td', {}, chip(PROGRAM_TONES[row.verdict] || 'info', words.programVerdicts[row.verdict] || row.verdict)), h('td', {}, chip(TRANSFER_TONES[row.transfer_to_npu] || 'info', words.transfers[row.transfer_to_npu] || row.transfer_to_npu)),
        [row.files, row.redirected, row.edited, row.left].map((value) => h('td', { class: 'number' }, number(value))))));
      button.hidden = rest.length === 0;
    }
    add();
    const head = [words.program, words.verdictColumn, words.transferColumn, words.files, words.redirected, words.edited, words.left];
    return card(words.programs, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((label, i) =>
      h('th', { scope: 'col', class: i > 1 ? 'number' : null }, label)))), body)), button);
  }

  // Since the report that --baseline names.
  function trend() {
    const before = report.baseline;
    if (!before) return null;
    const now = summary;
    const row = (label, old_value, new_value) => h('tr', {}, h('td', {}, label), h('td', { class: 'number' }, number(old_value)), h('td', { class: 'number' }, number(new_value)),
      h('td', { class: `number ${new_value > old_value ? 'error' : 'applied'} tone` }, `${new_value > old_value ? '+' : ''}${number(new_value - old_value)}`));
    return card(words.trend, h('p', { class: 'small' }, words.trendSentence(number(before.new), number(before.gone))), h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, h('td', {}), [words.trendBefore, words.trendNow, words.trendChange].map((label) => h('th', { scope: 'col', class: 'number' }, label)))),
      h('tbody', {}, row(words.findings, before.findings, now.findings), row(words.toReview, before.to_review, now.to_review), row(words.blocking, before.blocking, now.blocking)))));
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
    return card(words.coverage, h('p', { class: 'muted small' }, words.coverageHint), h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((label, i) =>
      label ? h('th', { scope: 'col', class: i > 1 ? 'number' : null }, label) : h('td', { class: 'wide' })))), h('tbody', {}, rows))));
  }

  // Where each chip runs the operators of what the project uses.
  function chips() {
    if (!report.chip_coverage?.length) return null;
    const labels = words.chipColumns;
    const rows = report.chip_coverage.map((row) => {
      const counts = { applied: row.on_npu, available: row.recompiled, warning: row.on_cpu, error: row.refused, info: row.unknown };
      return h('tr', {}, h('td', {}, literal(said(model, words, row.product))), h('td', { class: 'wide' }, bar(counts, 'mini', labels)),
        Object.keys(labels).map((bucket) => h('td', { class: `number ${counts[bucket] ? '' : 'zero'}` }, number(counts[bucket]))));
    });
    const head = [words.chip, '', ...Object.values(labels)];
    return card(words.chips, h('p', { class: 'muted small' }, words.chipsHint), h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, head.map((label, i) =>
      label ? h('th', { scope: 'col', class: i > 1 ? 'number' : null }, label) : h('td', { class: 'wide' })))), h('tbody', {}, rows))));
  }

  return h('div', { class: 'overview' }, make_first_screen(page, { counts_of, bar, link }), trend(),
    model.findings.length ? h('div', { class: 'two' }, h('div', { class: 'stack' }, by_kind(), card(words.map, make_picture(page))), todo()) : null, effort(),
    report.third_party.length ? packages() : null, unknown_packages(), operators(), coverage(), chips(), programs(),
    report.notes.length ? card(words.notes, h('ul', { class: 'notes small' }, report.notes.map((note) => h('li', {}, literal(said(model, words, note)))))) : null);
}

