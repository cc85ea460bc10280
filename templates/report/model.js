// The report as the page uses it: findings in one list, and what belongs to them.
async function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).blob();
}

// The data are in parts, a line each, that may end within a character.
async function read_report() {
  const parts = [];
  for (const line of document.getElementById('report-data').textContent.trim().split('\n')) parts.push(await unpacked(line));
  return JSON.parse(await new Blob(parts).text());
}

function folder_of(path) {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

const made_by_run = (finding) => finding.state === 'applied' || finding.state === 'available';
// What only follows the edit of another finding is settled with it: summary.applied and summary.available count the same.
const is_counted = (finding) => made_by_run(finding) && finding.edits.length > 0;
// What a person may decide about.
const is_decidable = (finding) => finding.edits.length > 0 || is_task(finding);
// What is left to a person: summary.to_review of the report counts the same.
const is_task = (finding) => finding.severity !== 'info' && !made_by_run(finding);

const SEVERITIES = ['error', 'warning', 'info'];
const EFFORTS = ['rewrite', 'port', 'replace', 'edit', 'check', 'none'];
// Findings that one action settles: those of a rule; of third-party packages, those of a package. The worst first.
function actions_of(findings) {
  const actions = new Map();
  for (const finding of findings) {
    const key = finding.kind === 'third_party' ? `${finding.rule}\n${finding.subject}` : finding.rule;
    if (!actions.has(key)) actions.set(key, { key, rule: finding.rule, kind: finding.kind, findings: [], tasks: 0, severity: 'info', effort: 'none' });
    const action = actions.get(key);
    finding.action = action;
    action.findings.push(finding);
    if (!is_task(finding)) continue;
    if (!action.tasks++) action.message = finding.message;
    const effort = finding.state === 'uncertain' ? 'check' : finding.state === 'at_run_time' ? 'none' : finding.effort;
    if (SEVERITIES.indexOf(finding.severity) < SEVERITIES.indexOf(action.severity)) action.severity = finding.severity;
    if (EFFORTS.indexOf(effort) < EFFORTS.indexOf(action.effort)) action.effort = effort;
  }
  const rank = (action) => [action.tasks ? 0 : 1, SEVERITIES.indexOf(action.severity), EFFORTS.indexOf(action.effort), -action.findings.length];
  const sorted = [...actions.values()].map((action) => ({ action, rank: rank(action) }));
  sorted.sort((a, b) => { const at = a.rank.findIndex((value, i) => value !== b.rank[i]); return at < 0 ? 0 : a.rank[at] - b.rank[at]; });
  return sorted.map(({ action }, place) => { action.place = place; action.message ??= action.findings[0].message; return action; });
}

// Tells reports apart that have the same root: 64 bits of the ids of their findings.
function id_of(findings) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (const finding of findings) {
    for (let i = 0; i < finding.id.length; ++i) {
      a = Math.imul(a ^ finding.id.charCodeAt(i), 2654435761);
      b = Math.imul(b ^ finding.id.charCodeAt(i), 1597334677);
    }
  }
  return [a, b].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function make_model(report) {
  const findings = [];
  const by_id = new Map();
  for (const file of report.files) {
    file.folder = folder_of(file.path);
    for (const finding of file.findings) {
      finding.file = file;
      finding.place = findings.length;
      finding.edits = [];
      findings.push(finding);
      by_id.set(finding.id, finding);
    }
  }
  // A new file is wanted by findings of other files.
  for (const file of report.files) {
    for (const edit of file.edits) {
      for (const id of edit.findings) {
        const finding = by_id.get(id);
        if (finding && finding.file === file) finding.edits.push(edit);
      }
    }
  }
  for (const finding of findings) finding.bucket = is_counted(finding) ? finding.state : made_by_run(finding) ? 'info' : finding.severity;
  const of_rule = new Map();
  for (const finding of findings) of_rule.set(finding.rule, (of_rule.get(finding.rule) || 0) + 1);
  const rules = new Map((report.rules || []).map((rule) => [rule.id, rule]));
  const fixing_rules = new Set(findings.filter((finding) => finding.edits.length).map((finding) => finding.rule));
  return { report, id: id_of(findings), findings, tasks: findings.filter(is_task), actions: actions_of(findings), by_id, of_rule, rules, fixing_rules };
}

// What the report says, in the language of the page where it is translated.
const said = (model, words, text) => model.report.translations?.[words.code]?.[text] ?? text;
// What to do, shortly: its first sentence.
const first_sentence = (text) => text.match(/^.*?[.。;；:：](?=\s|$|[\u4e00-\u9fff])/s)?.[0].replace(/[;；:：]$/, '') || text;

// In every language, so that a search finds what either says.
function haystack(model, finding) {
  const translations = () => Object.values(model.report.translations || {}).map((texts) => texts[finding.message] || '');
  finding.haystack ??= [finding.file.path, finding.subject, finding.rule, finding.message, ...translations(), finding.old_text, finding.new_text || ''].join('\n').toLowerCase();
  return finding.haystack;
}
