// The page as a whole: its bar, the two views, keys, language, theme, printing.
async function make_page(report) {
  const page = { report, filter: {}, chosen: null, model: make_model(report) };
  const root = document.getElementById('app');
  const KEEP = 'migrator-page-';
  let view = 'overview';
  let review = null;
  let language = storage.get(KEEP + 'language') || (navigator.language.startsWith('zh') ? 'zh' : 'en');

  page.clear_filter = () => { for (const name of FILTERS) page.filter[name] = ''; };
  page.review_with = (values) => { page.clear_filter(); Object.assign(page.filter, values); show('review'); };
  page.review_finding = (id) => {
    const finding = page.model.by_id.get(id);
    if (!finding) return;
    page.clear_filter();
    show('review');
    review.choose(finding, 'center');
  };
  page.clear_filter();
  const keeper = is_served ? await disk_keeper(told_by_disk) : browser_keeper('migrator-decisions:' + report.paths.join('\n'));
  page.decisions = make_decisions(page.model, keeper, () => draw_progress());
  if (is_served) addEventListener('beforeunload', (event) => { if (!keeper.is_idle()) event.preventDefault(); });

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

  // ---- decisions as files ----
  page.tell = tell;
  const say = h('p', { class: 'toast', role: 'status', 'aria-live': 'polite' });
  let quiet = 0;
  function tell(text) {
    say.textContent = text;
    clearTimeout(quiet);
    quiet = setTimeout(() => { say.textContent = ''; }, 4000);
  }
  function told_by_disk(what, why) {
    saved_text.className = what === 'saved' ? 'small' : 'small chip error';
    saved_text.textContent = what === 'saved' ? page.words.saved : page.words.notSaved;
    if (why) tell(`${page.words.notSaved}: ${why}`);
  }
  function export_decisions() {
    const url = URL.createObjectURL(new Blob([page.decisions.export_text()], { type: 'application/json' }));
    h('a', { href: url, download: 'decisions.json' }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
    tell(page.words.exported(page.decisions.count()));
    open_apply();
  }
  const open_apply = () => open_apply_dialog(page, is_served ? keeper.place : place_on_disk(), is_served ? keeper.apply : null);
  async function import_decisions(event) {
    const file = event.target.files[0];
    if (!file) return;
    try {
      tell(page.words.imported(page.decisions.import_text(await file.text())));
      review.refresh();
    } catch {
      tell(page.words.notDecisions);
    }
    event.target.value = '';
  }

  // ---- the bar ----
  const progress_text = h('span', { class: 'small', id: 'progress' });
  const saved_text = h('span', { class: 'small', id: 'saved', role: 'status' });
  const progress_fill = h('span', { class: 'fill' });
  function draw_progress() {
    if (!page.words) return;
    const all = page.model.findings.filter(is_decidable);
    const done = all.filter((finding) => page.decisions.about(finding)).length;
    progress_text.textContent = page.words.progress(number(done), number(all.length));
    progress_fill.style.width = `${all.length ? done / all.length * 100 : 100}%`;
  }
  function bar() {
    const words = page.words;
    const tab = (name) => h('button', { type: 'button', id: `tab-${name}`, class: 'tab', 'aria-current': view === name ? 'page' : null, click: () => show(name) }, words[name]);
    const file = h('input', { type: 'file', accept: '.json,application/json', class: 'hidden', id: 'import', tabindex: '-1', 'aria-label': words.importAll, change: import_decisions });
    const project = report.paths.join(' ');
    return h('header', { class: 'top' },
      h('h1', {}, h('span', { class: 'logo', 'aria-hidden': 'true' }), words.title), h('span', { class: 'run', title: project }, mono(project), report.output ? [' → ', mono(report.output)] : null),
      h('nav', { 'aria-label': words.title }, tab('overview'), tab('review')),
      h('span', { class: 'progress' }, progress_text, h('span', { class: 'track', 'aria-hidden': 'true' }, progress_fill)), is_served ? saved_text : null,
      h('span', { class: 'top-buttons' }, h('button', { type: 'button', class: 'plain strong', id: 'export', click: export_decisions }, words.exportAll),
        h('button', { type: 'button', class: 'plain', click: () => file.click() }, words.importAll), file,
        h('button', { type: 'button', class: 'plain', id: 'apply', click: open_apply }, words.applyButton),
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
    main.replaceChildren(name === 'overview' ? page.overview : review.root);
    scrollTo(0, 0);
    if (name !== 'review') return;
    review.refresh();
    if (!page.chosen && review.shown().length) review.choose(review.shown()[0]);
  }
  function draw() {
    const words = page.words = WORDS[language];
    document.documentElement.lang = language === 'zh' ? 'zh-Hans' : 'en';
    document.title = `${words.title}: ${report.paths.join(' ')}`;
    page.overview = make_overview(page);
    review = make_review(page);
    root.replaceChildren(h('a', { class: 'skip', href: '#main' }, words.skip), bar(), main, say);
    draw_progress();
    show(view);
  }

  // ---- keys ----
  const keys = {
    j: () => review.step(1), k: () => review.step(-1), n: () => review.next_open(), a: () => review.decide('accept'), r: () => review.decide('reject'),
    d: () => review.decide('defer'), u: () => review.decide(undefined), c: () => review.focus_comment(), s: () => review.next_scope(), '/': () => review.focus_search(),
  };
  const always = { o: () => show('overview'), v: () => show('review'), e: export_decisions, t: toggle_theme, '?': show_help };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    // Both leave a text as it is: without this, Escape empties the search.
    if (event.target.tagName === 'INPUT' && (event.key === 'Escape' || event.key === 'Enter')) {
      event.preventDefault();
      event.target.blur();
    }
    if (typing || document.querySelector('dialog[open]')) return;
    const arrows = event.target.id === 'list' ? { ArrowDown: 'j', ArrowUp: 'k' } : {};
    const key = arrows[event.key] || event.key;
    const action = always[key] || keys[key];
    if (!action) return;
    event.preventDefault();
    if (keys[key] && view !== 'review') show('review');
    action();
  });

  // ---- printing: the overview, and the findings that the filters show ----
  const MAX_PRINTED = 1000;
  let printed = null;
  let theme_on_screen = '';
  addEventListener('beforeprint', () => {
    const words = page.words;
    theme_on_screen = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = 'light';
    for (const more of page.overview.querySelectorAll('.more')) while (!more.hidden) more.click();
    printed = h('section', { class: 'printed' }, h('h2', {}, words.findings), review.shown().concat(view === 'overview' && !review.shown().length ? page.model.findings : []).slice(0, MAX_PRINTED).map((finding) =>
      h('article', {}, h('p', {}, mono(`${finding.file.path}:${finding.begin.line}`), ' ', h('b', {}, literal(finding.subject)), ` (${words.severities[finding.severity]}, ${words.states[finding.state]}, ${words.decisions[page.decisions.about(finding) || 'open']})`),
        h('p', {}, literal(said(page.model, words, finding.message))), finding.new_text ? h('pre', {}, literal('- ' + finding.old_text.replaceAll('\n', '\n- ') + '\n+ ' + finding.new_text.replaceAll('\n', '\n+ '))) : null)));
    if (view !== 'overview') main.prepend(page.overview);
    main.append(printed);
  });
  addEventListener('afterprint', () => {
    printed?.remove();
    document.documentElement.dataset.theme = theme_on_screen;
    show(view);
  });

  use_theme(storage.get(KEEP + 'theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  draw();
  const from_hash = () => { if (location.hash.startsWith('#finding-')) page.review_finding(location.hash.slice(9)); };
  addEventListener('hashchange', from_hash);
  from_hash();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

(() => {
  const words = WORDS[navigator.language.startsWith('zh') ? 'zh' : 'en'];
  const root = document.getElementById('app');
  root.append(h('p', { class: 'loading' }, typeof DecompressionStream === 'undefined' ? words.tooOld : words.loading));
  if (typeof DecompressionStream !== 'undefined') read_report().then(make_page);
})();
