// The page as a whole: its bar, the two views, the address, keys, language, theme.
async function make_page(report) {
  const page = { report, filter: {}, order: {}, chosen: null, model: make_model(report) };
  const root = document.getElementById('app');
  const KEEP = 'migrator-page-';
  let view = 'overview';
  let review = null;
  let overview = null;
  let language = storage.get(KEEP + 'language') || (navigator.language.startsWith('zh') ? 'zh' : 'en');

  page.clear_filter = () => { for (const name of FILTERS) page.filter[name] = ''; };
  page.review_with = (values) => {
    page.clear_filter();
    Object.assign(page.filter, values);
    show('review');
    page.note(true);
  };
  page.review_action = (action) => page.review_with({ bucket: 'review', rule: action.rule, text: action.kind === 'third_party' ? action.findings[0].subject : '' });
  page.review_finding = (id) => {
    const finding = page.model.by_id.get(id);
    if (!finding) return;
    page.clear_filter();
    show('review');
    review.choose(finding, 'center');
    page.note(true);
  };
  page.clear_filter();
  page.filter.bucket = page.model.tasks.length ? 'review' : '';
  for (const [name, values] of Object.entries(ORDERS)) page.order[name] = values[0];
  // One report of one project has its own decisions.
  const keeper = is_served ? await disk_keeper(told_by_disk) : browser_keeper(`migrator-decisions:${report.root}\n${page.model.id}`, (kept) => show_saved(kept, kept ? '' : page.words.noRoom));
  page.place = is_served ? keeper.place : place_on_disk();
  page.decisions = make_decisions(page.model, keeper, () => draw_progress());
  if (is_served) addEventListener('beforeunload', (event) => { if (!keeper.is_idle()) event.preventDefault(); });

  // ---- the address ----
  // `is_step`: Back leads to what was before.
  page.note = (is_step) => {
    const text = address_text({ view, filter: page.filter, order: page.order, chosen: page.chosen });
    if (text !== location.hash) history[is_step ? 'pushState' : 'replaceState'](null, '', text);
  };
  function follow_address() {
    if (!location.hash) return show('overview');
    const state = address_state(location.hash);
    if (!state) return undefined;
    page.clear_filter();
    Object.assign(page.filter, state.filter);
    Object.assign(page.order, state.order);
    const finding = page.model.by_id.get(state.finding);
    if (finding) page.chosen = finding;
    show(state.view);
    return finding && state.view === 'review' ? review.choose(finding, 'center') : undefined;
  }

  // ---- theme and language ----
  function use_theme(theme) {
    document.documentElement.dataset.theme = theme;
    storage.set(KEEP + 'theme', theme);
  }
  const toggle_theme = () => use_theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  function use_language(name) {
    language = name;
    storage.set(KEEP + 'language', name);
    draw();
  }

  // ---- what is said, and for how long ----
  const SHORT = 4000;
  const LONG = 15000;  // with something to select
  const say = h('p', { class: 'toast', role: 'status', 'aria-live': 'polite' });
  let quiet = 0;
  function tell(text, label, action) {
    say.replaceChildren(text, label ? h('button', { type: 'button', class: 'link', id: 'toast-action', click: action }, label) : '');
    clearTimeout(quiet);
    quiet = setTimeout(() => say.replaceChildren(), label ? LONG : SHORT);
  }
  page.tell = tell;
  // In the bar, where nothing that is said later takes it away.
  function show_saved(is_saved, text) {
    saved_text.className = is_saved ? 'small' : 'small chip error';
    saved_text.textContent = text;
  }
  function told_by_disk(what, why) {
    show_saved(what === 'saved', what === 'saved' ? page.words.saved : page.words.notSaved);
    if (why) tell(`${page.words.notSaved}: ${why}`);
  }

  // ---- decisions as files ----
  const open_apply = () => open_apply_dialog(page, page.place, is_served ? keeper.apply : null);
  function export_decisions() {
    const url = URL.createObjectURL(new Blob([page.decisions.export_text()], { type: 'application/json' }));
    h('a', { href: url, download: 'decisions.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    tell(page.words.exported(page.decisions.count()));
    open_apply();
  }
  async function import_decisions(event) {
    const file = event.target.files[0];
    if (!file) return;
    try {
      const { count, strange } = page.decisions.import_text(await file.text(), file.name);
      tell(page.words.imported(count, strange), page.words.undo, undo);
      review.refresh();
    } catch {
      tell(page.words.notDecisions);
    }
    event.target.value = '';
  }
  function reset() {
    const count = page.decisions.count();
    page.decisions.reset();
    review.refresh();
    tell(page.words.wasReset(number(count)), page.words.undo, undo);
  }
  const undo = () => review.undo();

  // ---- the bar ----
  const progress_text = h('span', { class: 'small', id: 'progress' });
  const saved_text = h('span', { class: 'small', id: 'saved', role: 'status' });
  const progress_fill = h('span', { class: 'fill' });
  const origin_line = h('span', { class: 'origin small muted', id: 'origin' });
  const export_button = h('button', { type: 'button', class: 'plain', id: 'export', click: export_decisions });
  function draw_progress() {
    const { words, decisions } = page;
    if (!words) return;
    const all = page.model.tasks.length;
    const done = decisions.settled();
    const count = decisions.count();
    progress_text.textContent = words.progress(number(done), number(all));
    progress_fill.style.width = `${all ? done / all * 100 : 100}%`;
    export_button.textContent = words.exportAll;
    export_button.classList.toggle('strong', count > 0);
    const [origin, name] = decisions.origin();
    origin_line.replaceChildren(count ? words[origin === 'fromNowhere' ? 'fromBrowser' : origin](number(count), name) : '', count ? h('button', { type: 'button', class: 'link', id: 'reset', click: reset }, words.reset) : '');
  }
  function bar() {
    const words = page.words;
    const tab = (name) => h('button', { type: 'button', id: `tab-${name}`, class: 'tab', 'aria-current': view === name ? 'page' : null, click: () => { show(name); page.note(true); } }, words[name]);
    const file = h('input', { type: 'file', accept: '.json,application/json', class: 'hidden', id: 'import', tabindex: '-1', 'aria-label': words.importAll, change: import_decisions });
    const project = report.paths.join(' ');
    return h('header', { class: 'top' },
      h('h1', {}, h('span', { class: 'logo', 'aria-hidden': 'true' }), words.title), h('span', { class: 'run', title: project }, mono(project), report.output ? [' → ', mono(report.output)] : null),
      h('nav', { 'aria-label': words.title }, tab('overview'), tab('review')),
      h('span', { class: 'progress' }, progress_text, h('span', { class: 'track', 'aria-hidden': 'true' }, progress_fill)), saved_text, origin_line,
      h('span', { class: 'top-buttons' }, export_button,
        h('button', { type: 'button', class: 'plain', click: () => file.click() }, words.importAll), file,
        h('button', { type: 'button', class: 'plain', id: 'apply', click: open_apply }, words.applyButton),
        h('button', { type: 'button', class: 'plain', id: 'print', title: words.printHint, click: () => print() }, words.print),
        h('button', { type: 'button', class: 'plain', id: 'language', title: words.languageLabel, lang: language === 'en' ? 'zh' : 'en', click: () => use_language(language === 'en' ? 'zh' : 'en') }, words.language),
        h('button', { type: 'button', class: 'plain icon', id: 'theme', 'aria-label': words.theme, title: words.theme, click: toggle_theme }, '◐'),
        h('button', { type: 'button', class: 'plain icon', id: 'help', 'aria-label': words.help, title: words.help, click: show_help }, '?')));
  }
  function show_help() {
    const dialog = h('dialog', { class: 'help', 'aria-label': page.words.helpTitle, close: () => dialog.remove() }, h('h2', {}, page.words.helpTitle),
      h('dl', {}, page.words.keys.map(([keys, what]) => [h('dt', {}, keys.split(' / ').map((key, i) => [i ? ' ' : '', h('kbd', {}, key)])), h('dd', {}, what)])),
      h('button', { type: 'button', class: 'plain', click: () => dialog.close() }, page.words.close));
    root.append(dialog);
    dialog.showModal();
  }

  // ---- views ----
  const main = h('main', { id: 'main', tabindex: '-1' });
  function show(name) {
    view = name;
    for (const tab of document.querySelectorAll('.tab')) {
      if (tab.id === `tab-${name}`) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
    document.body.dataset.view = name;
    // The overview counts what is decided: it is made anew.
    if (name === 'overview') overview = make_overview(page);
    main.replaceChildren(name === 'overview' ? overview : review.root);
    scrollTo(0, 0);
    if (name === 'review') review.refresh();
  }
  function draw() {
    const words = page.words = WORDS[language];
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
    document.title = `${words.title}: ${report.paths.join(' ')}`;
    review = make_review(page);
    root.replaceChildren(h('a', { class: 'skip', href: '#main', click: (event) => { event.preventDefault(); main.focus(); } }, words.skip), bar(), main, say);
    draw_progress();
    show(view);
  }

  // ---- keys ----
  const keys = {
    j: () => review.step(1), k: () => review.step(-1), n: () => review.next_open(), a: () => review.decide('accept'), r: () => review.decide('reject'), f: () => review.decide('done'),
    w: () => review.decide('wont_do'), d: () => review.decide('defer'), u: () => review.decide(undefined), c: () => review.focus_comment(), x: () => review.pick(), X: () => review.pick_group(), z: () => review.fold_group(), '/': () => review.focus_search(),
  };
  const go = (name) => () => { show(name); page.note(true); };
  const always = { o: go('overview'), v: go('review'), e: export_decisions, t: toggle_theme, '?': show_help };
  addEventListener('keydown', (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    const in_dialog = Boolean(document.querySelector('dialog[open]'));
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'z' && !event.shiftKey && !typing && !in_dialog) {
      event.preventDefault();
      undo();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Both leave a text as it is: without this, Escape empties the search.
    if (event.target.tagName === 'INPUT' && !in_dialog && (event.key === 'Escape' || event.key === 'Enter')) {
      event.preventDefault();
      event.target.blur();
    }
    if (typing || in_dialog) return;
    const arrows = event.target.id === 'list' ? { ArrowDown: 'j', ArrowUp: 'k' } : {};
    const key = arrows[event.key] || event.key;
    const action = always[key] || keys[key];
    if (!action) return;
    event.preventDefault();
    // What is not shown is not decided: the first key only leads there.
    if (keys[key] && view !== 'review') go('review')();
    else action();
  });

  use_theme(storage.get(KEEP + 'theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  draw();
  make_printing(page, main, { view: () => view, overview: () => overview ??= make_overview(page), shown: () => review.shown(), restore: () => show(view) });
  addEventListener('popstate', follow_address);
  if (location.hash) follow_address();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

(() => {
  const words = WORDS[navigator.language.startsWith('zh') ? 'zh' : 'en'];
  const root = document.getElementById('app');
  root.append(h('p', { class: 'loading' }, typeof DecompressionStream === 'undefined' ? words.tooOld : words.loading));
  if (typeof DecompressionStream !== 'undefined') read_report().then(make_page);
})();
