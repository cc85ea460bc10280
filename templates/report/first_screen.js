// The first screen: how far, what blocks, how long, what first, and one button that starts the review.
const TONES = { native: 'applied', partly: 'available', ready: 'applied', nothing_found: 'applied', convertible: 'available', review: 'warning', blocked: 'error' };
const SIGNS = { native: '✓', partly: '→', ready: '✓', nothing_found: '✓', convertible: '→', review: '!', blocked: '✕' };

function make_first_screen(page, parts) {
  const { model, report, words, decisions } = page;
  const { summary } = report;
  const MAX_BLOCKERS = 5;
  const settled = decisions.settled();
  const made = model.findings.filter(is_counted).length;
  const all = made + model.tasks.length;
  const open = model.tasks.length - settled;
  const is_open = (finding) => is_task(finding) && !is_settled(decisions.about(finding));
  const to_do = model.actions.filter((action) => action.findings.some(is_open));
  const blockers = to_do.filter((action) => action.findings.some((finding) => is_open(finding) && finding.severity === 'error'));
  const action_line = (action) => h('li', {}, parts.link(literal(first_sentence(said(model, words, action.message))), () => page.review_action(action)),
    h('span', { class: 'muted small' }, ` ${words.inPlaces(number(action.findings.filter(is_open).length))}`));
  const figure = (name, value, ...text) => h('div', { class: 'figure' }, h('h3', {}, name), h('p', { class: 'value' }, value), text);
  const estimate = make_estimate(page);
  const counts = parts.counts_of(model.findings);
  const fact = (value, label, filter) => h('div', {}, filter && value ? h('button', { type: 'button', class: 'fact', click: () => page.review_with(filter) }, h('b', {}, number(value)), h('span', { class: 'small' }, label)) : [h('b', {}, number(value)), h('span', { class: 'muted small' }, label)]);
  const analyse = report.command === 'analyze';
  // What is said of programs comes with its translation.
  const translated = said(model, words, summary.sentence);
  const sentence = translated === summary.sentence ? words.sentence(summary) : translated;
  // Rounded down: all of it is all of it.
  const how_far = all ? Math.floor((made + settled) / all * 100) : 100;
  return h('section', { class: `card hero ${TONES[summary.verdict] || 'info'}`, 'aria-label': words.overview },
    h('div', { class: 'verdict' }, h('span', { class: 'dot', 'aria-hidden': 'true' }, SIGNS[summary.verdict] || '?'),
      h('div', {}, h('h2', {}, words.verdict[summary.verdict] || summary.verdict), h('p', { class: 'muted' }, literal(sentence)), project_line(page)),
      open ? h('button', { type: 'button', class: 'plain strong start', id: 'start-review', click: () => page.review_with({ bucket: 'review' }) }, words.startReview(number(open))) : null),
    h('div', { class: 'figures' },
      figure(words.howFar, h('b', { id: 'how-far' }, `${how_far} %`), h('p', { class: 'muted small' }, words.howFarMeaning(number(made), number(settled), number(all)))),
      figure(words.whatBlocks, h('b', {}, number(blockers.length)), blockers.length ? h('ul', { class: 'short small' }, blockers.slice(0, MAX_BLOCKERS).map(action_line)) : h('p', { class: 'muted small' }, words.nothingBlocks)),
      figure(words.howLong, estimate.total, h('p', { class: 'muted small' }, words.howLongMeaning)),
      figure(words.whatFirst, null, to_do.length ? h('p', {}, parts.link(literal(said(model, words, to_do[0].message)), () => page.review_action(to_do[0]))) : h('p', { class: 'muted small' }, words.noTodo))),
    estimate.table,
    model.findings.length ? parts.bar(counts, 'bar') : null,
    h('div', { class: 'legend' }, BUCKETS.filter((bucket) => counts[bucket]).map((bucket) =>
      h('button', { type: 'button', click: () => page.review_with({ bucket }) }, h('span', { class: `swatch ${bucket}` }), h('b', {}, number(counts[bucket])), h('span', {}, words.buckets[bucket])))),
    h('div', { class: 'facts' }, fact(summary.findings, words.findings, {}), fact(summary.to_review, words.toReview, { bucket: 'review' }), fact(summary.blocking, words.blocking, { bucket: 'error' }),
      fact(analyse ? summary.available : summary.applied, analyse ? words.rewritable : words.rewritten, { bucket: analyse ? 'available' : 'applied' }), fact(summary.files_changed, words.filesChanged),
      fact(summary.files_analysed, words.filesAnalysed), fact(summary.lines, words.lines), summary.files_with_problems ? fact(summary.files_with_problems, words.withProblems) : null),
    run_line(page));
}

// How far the project supports the NPU, and what says so.
function project_line({ report, words }) {
  const MAX_PLACES = 5;
  const support = words.projectStates[report.project?.state];
  if (!support) return null;
  const places = report.project.evidence.slice(0, MAX_PLACES).map((sign) => `${sign.path}:${sign.line}`).join(', ');
  const more = report.project.evidence.length > MAX_PLACES ? ', …' : '';
  return h('p', { class: 'small muted' }, support, places ? [' (', mono(places + more), ')'] : null);
}

// What was run, so that it can be run again.
function run_line({ report, words }) {
  const parts = [[words.date, report.date?.replace('T', ' ').replace('Z', ' UTC')], [words.version, `${report.tool.name} ${report.tool.version}`], [words.commit, report.commit], [words.command, report.command_line]];
  return h('dl', { class: 'run-line small muted' }, parts.filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, mono(value)))));
}
