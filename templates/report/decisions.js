// What a person has decided, as decisions.json has it: of the entries about a finding the one that names it wins, then the last one.
function make_decisions(model, changed) {
  const key = 'migrator-decisions:' + model.report.paths.join('\n');
  let of_finding = new Map();  // id -> {decision, comment}
  let general = [];            // {rule?, folder?, decision}

  const lies_in = (path, folder) => folder === '' || path === folder || path.startsWith(folder + '/');
  const fits = (entry, finding) => (entry.rule === undefined || entry.rule === finding.rule) &&
    (entry.folder === undefined || lies_in(finding.file.path, entry.folder));

  function entries() {
    const named = [...of_finding].filter(([id]) => model.by_id.has(id)).map(([finding, entry]) => ({ finding, ...entry }));
    return [...general, ...named];
  }
  function save() {
    storage.set(key, JSON.stringify(entries()));
    changed();
  }
  // Entries are plain data from a file or the storage: what does not fit is left out.
  function load(list) {
    let count = 0;
    for (const item of list) {
      const decision = ['accept', 'reject', 'defer'].includes(item.decision) ? item.decision : undefined;
      if (typeof item.finding === 'string' && model.by_id.has(item.finding)) {
        of_finding.set(item.finding, { decision, comment: typeof item.comment === 'string' ? item.comment : undefined });
        ++count;
      } else if (decision && (typeof item.rule === 'string' || typeof item.folder === 'string')) {
        set_general({ rule: item.rule, folder: item.folder, decision });
        ++count;
      }
    }
    return count;
  }
  function set_general(entry) {
    general = general.filter((other) => other.rule !== entry.rule || other.folder !== entry.folder);
    if (entry.decision) general.push(entry);
  }
  try { load(JSON.parse(storage.get(key) || '[]')); } catch { /* something else is stored there */ }

  return {
    about(finding) {
      const named = of_finding.get(finding.id);
      if (named && named.decision) return named.decision;
      for (let i = general.length - 1; i >= 0; --i) if (fits(general[i], finding)) return general[i].decision;
      return undefined;
    },
    comment: (finding) => of_finding.get(finding.id)?.comment || '',
    decide(finding, scope, decision) {
      if (scope === 'finding') of_finding.set(finding.id, { ...of_finding.get(finding.id), decision });
      else {
        set_general(scope === 'rule' ? { rule: finding.rule, decision } : { folder: finding.file.folder, decision });
        // The newest word counts, also over earlier ones about single findings.
        for (const [id, entry] of of_finding) {
          const other = model.by_id.get(id);
          if (other && (scope === 'rule' ? other.rule === finding.rule : lies_in(other.file.path, finding.file.folder))) entry.decision = undefined;
        }
      }
      save();
    },
    set_comment(finding, comment) {
      of_finding.set(finding.id, { ...of_finding.get(finding.id), comment: comment || undefined });
      save();
    },
    // The edits of the finding are made, as things stand.
    is_on(finding) {
      const decision = this.about(finding);
      return decision ? decision === 'accept' : made_by_run(finding);
    },
    export_text: () => JSON.stringify({ schema: 'migrator-decisions/1', decisions: entries().filter((entry) => entry.decision || entry.comment) }, null, 1) + '\n',
    count: () => entries().filter((entry) => entry.decision || entry.comment).length,
    import_text(value) {
      const data = JSON.parse(value);
      if (data.schema !== 'migrator-decisions/1' || !Array.isArray(data.decisions)) throw new Error('schema');
      const count = load(data.decisions);
      save();
      return count;
    },
  };
}
