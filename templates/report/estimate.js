// How long the rest may take: hours for each class of effort, as a first guess that the reader changes. Once for an action and its
// first place, and again for each further place.
const ESTIMATES = {
  check: { low: 0.1, high: 0.3, further: 0.05 }, edit: { low: 0.25, high: 1, further: 0.1 }, replace: { low: 4, high: 16, further: 0.5 },
  port: { low: 8, high: 24, further: 1 }, rewrite: { low: 24, high: 80, further: 16 },
};
const ESTIMATE_KEY = 'migrator-page-estimates';

function saved_estimates() {
  try {
    const saved = JSON.parse(storage.get(ESTIMATE_KEY) || '{}');
    const is_row = (row) => row && ['low', 'high', 'further'].every((name) => Number.isFinite(row[name]) && row[name] >= 0);
    return Object.fromEntries(Object.entries(ESTIMATES).map(([name, row]) => [name, is_row(saved[name]) ? saved[name] : { ...row }]));
  } catch { return structuredClone(ESTIMATES); }
}

// Of what is not settled: [{effort, actions, places, low, high}] in hours.
function estimated(model, decisions, rates) {
  return Object.keys(ESTIMATES).map((effort) => {
    const row = { effort, actions: 0, places: 0, low: 0, high: 0 };
    for (const action of model.actions) {
      const places = action.effort === effort ? action.findings.filter((finding) => is_task(finding) && !is_settled(decisions.about(finding))).length : 0;
      if (!places) continue;
      ++row.actions;
      row.places += places;
      row.low += rates[effort].low + (places - 1) * rates[effort].further;
      row.high += rates[effort].high + (places - 1) * rates[effort].further;
    }
    return row;
  }).filter((row) => row.actions);
}

// Hours below a day, else days of eight.
const HOURS_OF_DAY = 8;
function span_text(words, low, high) {
  const in_days = high >= HOURS_OF_DAY;
  const round = (value) => { const shown = in_days ? value / HOURS_OF_DAY : value; return number(shown < 10 ? Math.round(shown * 10) / 10 : Math.round(shown)); };
  return words.span(round(low), round(high), in_days);
}

function make_estimate(page) {
  const { model, decisions, words } = page;
  const rates = saved_estimates();
  const total = h('b', { id: 'estimate' });
  const body = h('tbody');
  const note = h('p', { class: 'muted small' }, words.estimateNote);
  function draw_total() {
    const rows = estimated(model, decisions, rates);
    total.textContent = rows.length ? span_text(words, rows.reduce((sum, row) => sum + row.low, 0), rows.reduce((sum, row) => sum + row.high, 0)) : words.noTime;
    for (const row of rows) body.querySelector(`[data-effort="${row.effort}"]`)?.replaceChildren(span_text(words, row.low, row.high));
  }
  const input = (effort, name) => {
    const field = h('input', { type: 'number', min: '0', step: 'any', 'aria-label': `${words.efforts[effort]}: ${words.rates[name]}`, change: (event) => {
      const value = Number(event.target.value);
      if (!(value >= 0)) return;
      rates[effort][name] = value;
      storage.set(ESTIMATE_KEY, JSON.stringify(rates));
      draw_total();
    } });
    field.value = rates[effort][name];
    return h('td', { class: 'number' }, field);
  };
  for (const row of estimated(model, decisions, rates)) {
    body.append(h('tr', {}, h('td', {}, words.efforts[row.effort]), h('td', { class: 'number' }, number(row.actions)), h('td', { class: 'number' }, number(row.places)),
      ['low', 'high', 'further'].map((name) => input(row.effort, name)), h('td', { class: 'number', 'data-effort': row.effort })));
  }
  draw_total();
  const heads = [words.effortColumn, words.tasks, words.places, words.rates.low, words.rates.high, words.rates.further, words.timeColumn];
  const table = body.children.length ? h('details', { class: 'estimates' }, h('summary', {}, words.estimateEdit), note, h('div', { class: 'scroll' }, h('table', {}, h('thead', {}, h('tr', {}, heads.map((label, i) => h('th', { scope: 'col', class: i ? 'number' : null }, label)))), body))) : null;
  return { total, table };
}
