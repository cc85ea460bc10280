// What a person has decided: a decision and a comment for each finding, as decisions.json has them; and the way back.
const DECISIONS = ['accept', 'reject', 'done', 'wont_do', 'defer'];
const is_settled = (decision) => decision !== undefined && decision !== 'defer';

// Which of them make sense: a fix is taken or not; what has none is done by hand, or not at all.
function choices_of(finding) {
  if (finding.edits.length) return ['accept', 'reject', 'done', 'defer'];
  return is_task(finding) ? ['done', 'wont_do', 'defer'] : [];
}

function make_decisions(model, keeper, changed) {
  let of_finding = new Map();  // id -> {decision, comment}
  let origin = keeper.origin;  // whose decisions these are: a key of the words, and a name
  const steps = [];            // what undo puts back: [[id, entry]]

  const lies_in = (path, folder) => folder === '' || folder === '.' || path === folder || path.startsWith(folder + '/');
  function export_text() {
    const decisions = [...of_finding].map(([finding, entry]) => ({ finding, ...entry }));
    return JSON.stringify({ schema: 'migrator-decisions/1', report: { root: model.report.root, id: model.id }, decisions }, null, 1) + '\n';
  }
  function save() {
    keeper.keep(export_text());
    changed();
  }
  function put(id, entry) {
    if (entry?.decision || entry?.comment) of_finding.set(id, entry);
    else of_finding.delete(id);
  }
  // Changes entries, as one step that can be undone.
  function step(entries) {
    steps.push(entries.map(([id]) => [id, of_finding.get(id)]));
    for (const [id, entry] of entries) put(id, entry);
    save();
  }

  // Of a file or the storage: what does not fit is left out. An entry about a rule or a folder becomes one for each of its findings;
  // of those the last one counts, and one that names a finding wins.
  function read(text) {
    const data = JSON.parse(text);
    if (data.schema !== 'migrator-decisions/1' || !Array.isArray(data.decisions)) throw new Error('schema');
    const general = new Map();
    const named = new Map();
    let strange = 0;
    for (const item of data.decisions) {
      const decision = DECISIONS.includes(item.decision) ? item.decision : undefined;
      const comment = typeof item.comment === 'string' && item.comment ? item.comment : undefined;
      if (!decision && !comment) continue;
      if (typeof item.finding === 'string') {
        if (model.by_id.has(item.finding)) named.set(item.finding, { decision, comment });
        else ++strange;
      } else if (typeof item.rule === 'string' || typeof item.folder === 'string') {
        for (const finding of model.findings) {
          if (item.rule !== undefined && item.rule !== finding.rule) continue;
          if (item.folder !== undefined && !lies_in(finding.file.path, item.folder)) continue;
          const before = general.get(finding.id);
          general.set(finding.id, { decision: choices_of(finding).includes(decision) ? decision : before?.decision, comment: comment || before?.comment });
        }
      }
    }
    for (const [id, entry] of named) general.set(id, { decision: entry.decision || general.get(id)?.decision, comment: entry.comment || general.get(id)?.comment });
    return { entries: [...general].filter(([, entry]) => entry.decision || entry.comment), strange };
  }
  try {
    if (keeper.saved) for (const [id, entry] of read(keeper.saved).entries) put(id, entry);
  } catch { /* something else is stored there */ }

  const about = (finding) => of_finding.get(finding.id)?.decision;
  const is_wanted = (finding) => about(finding) ? about(finding) === 'accept' : made_by_run(finding);
  // The edits of the finding are made, as things stand: as `apply` sees it.
  const is_on = (finding) => is_wanted(finding) && (finding.together || []).every((id) => model.by_id.has(id) && is_wanted(model.by_id.get(id)));
  return {
    about, is_on, export_text,
    comment: (finding) => of_finding.get(finding.id)?.comment || '',
    decide: (findings, decision, comment) => step(findings.map((finding) => [finding.id, { ...of_finding.get(finding.id), decision, ...(comment ? { comment } : {}) }])),
    set_comment(finding, text) {
      if (text !== this.comment(finding)) step([[finding.id, { ...of_finding.get(finding.id), comment: text || undefined }]]);
    },
    // The ids that were put back.
    undo() {
      const before = steps.pop() || [];
      for (const [id, entry] of before) put(id, entry);
      if (before.length) save();
      return before.map(([id]) => id);
    },
    reset() { step([...of_finding.keys()].map((id) => [id, undefined])); },
    count: () => of_finding.size,
    settled: () => model.tasks.reduce((sum, finding) => sum + is_settled(about(finding)), 0),
    origin: () => origin,
    // What `apply` changes.
    made() {
      const files = model.report.files.filter((file) => file.edits.some((edit) => edit.findings.some((id) => model.by_id.has(id) && is_on(model.by_id.get(id)))));
      return { findings: model.findings.filter((finding) => finding.edits.length && is_on(finding)).length, files: files.length };
    },
    import_text(text, name) {
      const { entries, strange } = read(text);
      step(entries);
      origin = ['fromFile', name];
      changed();
      return { count: entries.length, strange };
    },
  };
}
