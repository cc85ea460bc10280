// The row of filters above the review.
function make_filters(page, changed) {
  const { model, words, filter, order } = page;
  const controls = {};
  const group_words = { group: words.groups, sort: words.sorts };
  function counted(key, titles) {
    const counts = new Map();
    for (const finding of model.findings) counts.set(finding[key], (counts.get(finding[key]) || 0) + 1);
    const keys = titles ? Object.keys(titles).filter((name) => counts.has(name)) : [...counts.keys()].sort();
    return keys.map((value) => [value, `${titles ? titles[value] : value} (${number(counts.get(value))})`]);
  }
  function folder_options() {
    const MAX_FOLDERS = 2000;
    const folders = new Set();
    for (const file of model.report.files) {
      const parts = file.folder.split('/');
      for (let i = 1; i <= parts.length; ++i) if (parts[0]) folders.add(parts.slice(0, i).join('/'));
    }
    return [...folders].sort().slice(0, MAX_FOLDERS).map((folder) => [folder, folder]);
  }
  // Those that the report is about, by the places that files name.
  function program_options() {
    const places = new Set(model.report.files.flatMap((file) => file.programs || []));
    return [...places].sort((a, b) => a - b).map((place) => [String(place), model.report.programs[place].name]);
  }
  // A value that is not in the list, such as a path of the address, becomes an option.
  function show_value(name) {
    const control = controls[name];
    if (filter[name] && control.tagName === 'SELECT' && ![...control.options].some((option) => option.value === filter[name])) control.append(h('option', { value: filter[name] }, filter[name]));
    control.value = filter[name];
    control.classList.toggle('in-use', filter[name] !== '');
  }
  function select(name, options) {
    controls[name] = h('select', { id: `filter-${name}`, change: (event) => { filter[name] = event.target.value; show_value(name); changed(true); } }, h('option', { value: '' }, `${words[name === 'bucket' ? 'state' : name]}: ${words.all}`), options.map(([value, title]) => h('option', { value }, title)));
    return h('label', {}, h('span', { class: 'spoken' }, words[name === 'bucket' ? 'state' : name]), controls[name]);
  }
  function order_select(name) {
    controls[name] = h('select', { id: `order-${name}`, change: (event) => { order[name] = event.target.value; changed(true); } }, ORDERS[name].map((value) => h('option', { value }, `${words[name]}: ${group_words[name][value]}`)));
    return h('label', {}, h('span', { class: 'spoken' }, words[name]), controls[name]);
  }
  let timer = 0;
  controls.text = h('input', { id: 'search', type: 'search', placeholder: words.searchHint, autocomplete: 'off', spellcheck: 'false', input: (event) => {
    clearTimeout(timer);
    timer = setTimeout(() => { filter.text = event.target.value.trim(); changed(false); }, 120);
  } });
  const root = h('div', { class: 'tools', role: 'search', 'aria-label': words.search }, h('label', { class: 'grow' }, h('span', { class: 'spoken' }, words.search), controls.text),
    select('bucket', [['review', `${words.toReview} (${number(model.tasks.length)})`], ...counted('bucket', words.buckets)]), select('severity', counted('severity', words.severities)),
    select('decision', Object.entries(words.decisions)), select('kind', counted('kind', words.kinds)), select('rule', counted('rule', null)), select('folder', folder_options()), select('program', program_options()),
    select('certainty', counted('certainty', words.certainties)), order_select('group'), order_select('sort'),
    h('button', { class: 'plain', type: 'button', id: 'clear-filters', click: () => { page.clear_filter(); draw(); changed(true); } }, words.clear));
  function draw() {
    for (const name of FILTERS) show_value(name);
    for (const name of Object.keys(ORDERS)) controls[name].value = order[name];
  }
  draw();
  return { root, draw, focus_search: () => controls.text.focus() };
}
