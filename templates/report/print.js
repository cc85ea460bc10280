// Printing: the overview with all actions; from the review also the findings that the filters show.
const MAX_PRINTED = 1000;

// `on`: {view(), overview(), shown(), restore()}.
function make_printing(page, main, on) {
  let printed = null;
  let theme = '';
  function finding_text(finding) {
    const { words } = page;
    return h('article', {}, h('p', {}, mono(`${finding.file.path}:${finding.begin.line}`), ' ', h('b', {}, literal(finding.subject)), ` (${words.severities[finding.severity]}, ${words.states[finding.state]}, ${words.decisions[page.decisions.about(finding) || 'open']})`),
      h('p', {}, literal(said(page.model, words, finding.message))), finding.new_text ? h('pre', {}, literal('- ' + finding.old_text.replaceAll('\n', '\n- ') + '\n+ ' + finding.new_text.replaceAll('\n', '\n+ '))) : null);
  }
  addEventListener('beforeprint', () => {
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = 'light';
    const overview = on.overview();
    for (const more of overview.querySelectorAll('.more')) while (!more.hidden) more.click();
    if (on.view() !== 'review') return;
    const shown = on.shown();
    const left = shown.length - MAX_PRINTED;
    printed = h('section', { class: 'printed' }, h('h2', {}, page.words.findings), shown.slice(0, MAX_PRINTED).map(finding_text), left > 0 ? h('p', {}, page.words.morePlaces(left)) : null);
    main.prepend(overview);
    main.append(printed);
  });
  addEventListener('afterprint', () => {
    printed?.remove();
    document.documentElement.dataset.theme = theme;
    on.restore();
  });
}
