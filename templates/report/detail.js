// The chosen finding: what it means, what to do, its file before and after.
const KEY_OF = { accept: 'a', reject: 'r', done: 'f', wont_do: 'w', defer: 'd', clear: 'u' };

// `on`: {decide(decision), choose(finding), next_open()}.
function make_detail(page, on) {
  const { model, decisions, words } = page;
  const root = h('section', { class: 'detail', id: 'detail', 'aria-label': words.review, tabindex: '-1' });
  let rule_is_open = false;
  has_room.addEventListener('change', () => { if (root.isConnected) draw(); });

  function draw() {
    const finding = page.chosen;
    if (!finding) {
      root.replaceChildren(h('p', { class: 'empty muted' }, words.choose));
      return;
    }
    // The parts are made anew; who works with the keyboard stays on the same one.
    const active = root.contains(document.activeElement) ? document.activeElement : null;
    const part = active?.dataset.decision ? `[data-decision="${active.dataset.decision}"]` : active?.id ? `#${active.id}` : null;
    root.replaceChildren(h('div', { class: 'detail-head' }, place(finding), h('h2', {}, mono(finding.subject)), chips(finding),
      h('p', { class: 'message' }, literal(said(model, words, finding.message))), remark(finding), rule_box(finding)),
    make_file_view(page, finding, { is_shown: (edit) => is_shown(edit, finding), after: is_proposed(finding) ? words.afterIfAccepted : words.after, choose: on.choose }),
    decide_bar(finding));
    if (part) root.querySelector(part)?.focus();
  }

  // Links to the lines: in an editor of this machine, in the repository, and in this report.
  function place(finding) {
    const { line, column } = finding.begin;
    const where = `${finding.file.path}:${line}:${column}`;
    const project = page.place.project || (model.report.root.startsWith('/') ? model.report.root : '');
    const encoded = finding.file.path.split('/').map(encodeURIComponent).join('/');
    const editor = project ? `vscode://file${project.split('/').map(encodeURIComponent).join('/')}/${encoded}:${line}:${column}` : null;
    const { source_url: source, commit } = model.report;
    const online = source ? source.replaceAll('{commit}', commit || 'HEAD').replaceAll('{path}', encoded).replaceAll('{line}', String(line)) : null;
    return h('p', { class: 'path small muted' }, editor ? h('a', { href: editor, id: 'open-editor', title: words.openEditor }, mono(where)) : mono(where),
      online && is_web_address(online) ? h('a', { href: online, id: 'open-source', target: '_blank', rel: 'noopener noreferrer' }, words.openSource) : null,
      h('button', { type: 'button', class: 'link', id: 'copy-link', click: async () => { await copy_text(location.href, root); page.tell(words.copied); } }, words.copyLink));
  }
  function chips(finding) {
    const is_open = is_task(finding) && finding.state !== 'at_run_time';
    return h('p', { class: 'chips' }, chip(finding.severity, words.severities[finding.severity]), is_decidable(finding) || finding.state !== 'none' ? chip(finding.bucket, words.states[finding.state]) : null,
      chip('info', words.kinds[finding.kind] || finding.kind), chip('info', words.certainties[finding.certainty]), is_open && words.efforts[finding.effort] ? chip('info', words.efforts[finding.effort]) : null);
  }
  function remark(finding) {
    const text = finding.together ? words.together : finding.edits.length ? (finding.state === 'uncertain' ? words.proposal : '') : made_by_run(finding) ? words.follows : finding.severity === 'info' ? words.onlyKnow : words.noFix;
    return text ? h('p', { class: 'small muted' }, text) : null;
  }
  function decide_bar(finding) {
    const choices = choices_of(finding);
    const decision = decisions.about(finding);
    const button = (name) => h('button', { type: 'button', class: `decide ${name}`, 'data-decision': name, 'aria-keyshortcuts': KEY_OF[name], 'aria-pressed': String(name === (decision || 'clear')), click: () => on.decide(name === 'clear' ? undefined : name) },
      words.decide[name], h('kbd', {}, KEY_OF[name]));
    const comment = h('input', { id: 'comment', type: 'text', placeholder: words.comment, 'aria-label': words.comment, autocomplete: 'off', change: (event) => decisions.set_comment(finding, event.target.value.trim()) });
    comment.value = decisions.comment(finding);
    return h('div', { class: 'decide-bar' }, choices.length ? [h('span', { class: 'buttons', role: 'group', 'aria-label': words.decision }, [...choices, ...(decision ? ['clear'] : [])].map(button)), comment] : h('span', { class: 'muted small' }, words.nothingToDecide),
      h('button', { type: 'button', class: 'plain', id: 'next-open', click: on.next_open }, words.nextOpen, h('kbd', {}, 'n')));
  }
  // Each citation with the address of what it names: "PyTorch source: torch/_ops.py".
  function cited(source) {
    return (source || '–').split('; ').flatMap((citation, index) => {
      const entry = page.report.sources?.[citation.split(': ')[0]];
      const shown = entry && is_web_address(entry.url) ? [h('a', { href: entry.url, target: '_blank', rel: 'noopener noreferrer', title: `${entry.title}, ${entry.version}, ${entry.read}` }, literal(citation))] : literal(citation);
      return index ? ['; ', ...shown] : shown;
    });
  }
  // What the rule says in general, and where that comes from.
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
      row(words.terminal, mono(`migrator explain ${quoted(finding.rule)}`))));
  }

  // Which edits the right side shows: those that are made, and the chosen finding's own as a proposal.
  const is_proposed = (finding) => finding.edits.length > 0 && !decisions.about(finding) && !decisions.is_on(finding);
  function is_shown(edit, chosen) {
    return edit.findings.some((id) => {
      const finding = model.by_id.get(id);
      return finding && (decisions.is_on(finding) || (finding === chosen && is_proposed(finding)));
    });
  }
  return { root, draw };
}
