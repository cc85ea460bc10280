// The review: the list of what is to settle, the finding that is chosen, and decisions about it or about the selection.
function make_review(page) {
  const { model, decisions, words } = page;
  const count_line = h('p', { role: 'status', class: 'muted small', id: 'count' });
  const bulk = h('div', { class: 'bulk', role: 'group', 'aria-label': words.selection });
  const list = make_work_list(page, { choose: (finding) => choose(finding), selected: draw_counts });
  const filters = make_filters(page, (is_step) => { settle_chosen(); page.note(is_step); });
  const detail = make_detail(page, { decide, choose, next_open });

  function draw_counts() {
    const shown = list.shown();
    count_line.replaceChildren(shown.length ? words.shown(number(shown.length), number(model.findings.length)) : model.findings.length ? words.noMatch : words.none,
      shown.length ? h('button', { type: 'button', class: 'link', id: 'select-shown', click: () => list.pick_shown() }, list.selection.size === shown.length ? words.selectNone : words.selectShown(number(shown.length))) : '');
    bulk.hidden = !list.selection.size;
    bulk.replaceChildren(h('span', { class: 'small' }, words.selected(number(list.selection.size))), ...[...DECISIONS, undefined].map((decision) => {
      const count = fitting([...list.selection], decision).length;
      return count ? h('button', { type: 'button', class: `decide ${decision || 'clear'}`, 'data-bulk': decision || 'clear', click: () => decide(decision) }, words.decide[decision || 'clear'], ` ${number(count)}`) : '';
    }));
  }
  // Whom a decision is for: where there is a selection, that; else the chosen finding, when it is shown.
  const targets = () => list.selection.size ? [...list.selection] : page.chosen && list.has(page.chosen) ? [page.chosen] : [];
  const fitting = (findings, decision) => findings.filter((finding) => decision ? choices_of(finding).includes(decision) : decisions.about(finding));

  // ---- choosing ----
  function choose(finding, where) {
    page.chosen = finding;
    if (!list.has(finding)) {
      page.clear_filter();
      filters.draw();
      list.refresh();
    }
    list.show(finding, where);
    detail.draw();
    page.note(false);
  }
  // After a filter, what is chosen is one of those that are shown, or nothing.
  function settle_chosen() {
    list.refresh();
    if (!page.chosen || !list.has(page.chosen)) page.chosen = list.shown()[0] || null;
    if (page.chosen) list.show(page.chosen);
    detail.draw();
  }
  function step(direction) {
    const shown = list.shown();
    if (!shown.length) return;
    const at = shown.indexOf(page.chosen);
    choose(shown[at < 0 ? (direction > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, at + direction))]);
  }
  function next_open() {
    const shown = list.shown();
    const from = shown.indexOf(page.chosen);
    for (let i = 1; i <= shown.length; ++i) {
      const finding = shown[(from + i + shown.length) % shown.length];
      if (choices_of(finding).length && !decisions.about(finding) && finding !== page.chosen) return choose(finding);
    }
    return undefined;
  }

  // ---- deciding ----
  async function decide(decision) {
    const was_bulk = list.selection.size > 0;
    const findings = fitting(targets(), decision);
    if (!findings.length) return page.tell(words.notForThis);
    const reason = decision === 'wont_do' ? await ask_reason(words, decisions.comment(findings[0])) : '';
    if (reason === null) return undefined;
    const from = page.chosen;
    const before = list.shown();
    decisions.decide(findings, decision, reason);
    list.selection.clear();
    page.tell(words.decided(decision, number(findings.length)), words.undo, undo);
    if (page.filter.decision) {  // what was decided may be shown no more: go on from where it was
      list.refresh();
      if (from && !list.has(from)) page.chosen = before.slice(before.indexOf(from)).find((finding) => list.has(finding)) || list.shown()[0] || null;
    }
    list.redraw();
    if (decision && !was_bulk && (!page.chosen || decisions.about(page.chosen))) next_open();
    if (page.chosen) list.show(page.chosen);
    return detail.draw();
  }
  function undo() {
    const ids = decisions.undo();
    if (!ids.length) return page.tell(words.nothingToUndo);
    page.tell(words.undone(number(ids.length)));
    list.refresh();
    if (ids.length === 1 && list.has(model.by_id.get(ids[0]))) return choose(model.by_id.get(ids[0]));
    return settle_chosen();
  }

  const root = h('div', { class: 'review' }, filters.root, h('div', { class: 'panes' }, h('div', { class: 'left' }, count_line, bulk, list.root), detail.root));
  return {
    root, step, next_open, decide, undo, choose,
    refresh() { filters.draw(); settle_chosen(); },
    focus_search: () => filters.focus_search(), focus_comment: () => document.getElementById('comment')?.focus(),
    pick: () => page.chosen && list.has(page.chosen) && list.pick(page.chosen, false),
    pick_group: () => page.chosen && list.has(page.chosen) && list.pick_group(page.chosen),
    fold_group: () => page.chosen && list.has(page.chosen) && list.fold_group(page.chosen),
    shown: () => list.shown(),
  };
}

// A reason, which must not be empty; null when it is not given.
function ask_reason(words, before) {
  return new Promise((answer) => {
    let given = null;
    const input = h('input', { type: 'text', id: 'reason', required: true, 'aria-label': words.reason, list: 'reasons', autocomplete: 'off' });
    input.value = before;
    const form = h('form', { submit: (event) => { event.preventDefault(); given = input.value.trim() || null; if (given) dialog.close(); } }, h('h2', {}, words.reason), h('p', {}, input),
      h('datalist', { id: 'reasons' }, words.reasons.map((value) => h('option', { value }))),
      h('p', { class: 'buttons' }, h('button', { type: 'submit', class: 'plain strong' }, words.decide.wont_do), h('button', { type: 'button', class: 'plain', click: () => dialog.close() }, words.cancel)));
    const dialog = h('dialog', { class: 'help', 'aria-label': words.reason, close: () => { dialog.remove(); answer(given); } }, form);
    document.getElementById('app').append(dialog);
    dialog.showModal();
    input.focus();
  });
}
