// What a person has decided, as decisions.json has it: of the entries about a finding the one that names it wins, then the last one.
function make_decisions(model, keeper, changed) {
  let of_finding = new Map();  // id -> {decision, comment}
  let general = [];            // {rule?, folder?, decision, comment}

  const lies_in = (path, folder) => folder === '' || path === folder || path.startsWith(folder + '/');
  const fits = (entry, finding) => (entry.rule === undefined || entry.rule === finding.rule) &&
    (entry.folder === undefined || lies_in(finding.file.path, entry.folder));

  function entries() {
    const named = [...of_finding].filter(([id]) => model.by_id.has(id)).map(([finding, entry]) => ({ finding, ...entry }));
    return [...general, ...named];
  }
  const export_text = () => JSON.stringify({ schema: 'migrator-decisions/1', decisions: entries().filter((entry) => entry.decision || entry.comment) }, null, 1) + '\n';
  function save() {
    keeper.keep(export_text());
    changed();
  }
  // Entries are plain data from a file or the storage: what does not fit is left out.
  function load(text) {
    const data = JSON.parse(text);
    if (data.schema !== 'migrator-decisions/1' || !Array.isArray(data.decisions)) throw new Error('schema');
    let count = 0;
    for (const item of data.decisions) {
      const decision = ['accept', 'reject', 'defer'].includes(item.decision) ? item.decision : undefined;
      const comment = typeof item.comment === 'string' && item.comment ? item.comment : undefined;
      if (!decision && !comment) continue;
      if (typeof item.finding === 'string' && model.by_id.has(item.finding)) {
        of_finding.set(item.finding, { decision, comment });
        ++count;
      } else if (typeof item.rule === 'string' || typeof item.folder === 'string') {
        set_general({ rule: item.rule, folder: item.folder, decision, comment });
        ++count;
      }
    }
    return count;
  }
  const same_subject = (a, b) => a.rule === b.rule && a.folder === b.folder;
  function set_general(entry) {
    general = general.filter((other) => !same_subject(other, entry));
    if (entry.decision || entry.comment) general.push(entry);
  }
  const subject_of = (finding, scope) => scope === 'rule' ? { rule: finding.rule } : { folder: finding.file.folder };
  const general_of = (finding, scope) => general.find((entry) => same_subject(entry, subject_of(finding, scope)));
  try { if (keeper.saved) load(keeper.saved); } catch { /* something else is stored there */ }

  return {
    about(finding) {
      const named = of_finding.get(finding.id);
      if (named && named.decision) return named.decision;
      for (let i = general.length - 1; i >= 0; --i) if (general[i].decision && fits(general[i], finding)) return general[i].decision;
      return undefined;
    },
    comment: (finding, scope) => (scope === 'finding' ? of_finding.get(finding.id) : general_of(finding, scope))?.comment || '',
    decide(finding, scope, decision) {
      if (scope === 'finding') of_finding.set(finding.id, { ...of_finding.get(finding.id), decision });
      else {
        set_general({ ...general_of(finding, scope), ...subject_of(finding, scope), decision });
        // The newest word counts, also over earlier ones about single findings.
        for (const [id, entry] of of_finding) {
          const other = model.by_id.get(id);
          if (other && (scope === 'rule' ? other.rule === finding.rule : lies_in(other.file.path, finding.file.folder))) entry.decision = undefined;
        }
      }
      save();
    },
    set_comment(finding, scope, text) {
      const comment = text || undefined;
      if (scope === 'finding') of_finding.set(finding.id, { ...of_finding.get(finding.id), comment });
      else set_general({ ...general_of(finding, scope), ...subject_of(finding, scope), comment });
      save();
    },
    // The edits of the finding are made, as things stand: as `apply` sees it.
    is_on(finding) {
      const is_wanted = (one) => { const decision = this.about(one); return decision ? decision === 'accept' : made_by_run(one); };
      return is_wanted(finding) && (finding.together || []).every((id) => model.by_id.has(id) && is_wanted(model.by_id.get(id)));
    },
    // What `apply` changes.
    made() {
      const on = model.findings.filter((finding) => this.is_on(finding));
      const files = model.report.files.filter((file) => file.edits.some((edit) => edit.findings.some((id) => model.by_id.has(id) && this.is_on(model.by_id.get(id)))));
      return { findings: on.length, files: files.length };
    },
    export_text,
    count: () => entries().filter((entry) => entry.decision || entry.comment).length,
    import_text(value) {
      const count = load(value);
      save();
      return count;
    },
  };
}
