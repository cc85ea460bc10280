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

function make_model(report) {
  const findings = [];
  const by_id = new Map();
  for (const file of report.files) {
    file.folder = folder_of(file.path);
    for (const finding of file.findings) {
      finding.file = file;
      finding.place = findings.length;
      finding.edits = [];
      finding.bucket = finding.state === 'applied' || finding.state === 'available' ? finding.state : finding.severity;
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
  const of_rule = new Map();
  for (const finding of findings) of_rule.set(finding.rule, (of_rule.get(finding.rule) || 0) + 1);
  const rules = new Map((report.rules || []).map((rule) => [rule.id, rule]));
  const fixing_rules = new Set(findings.filter((finding) => finding.edits.length).map((finding) => finding.rule));
  return { report, findings, by_id, of_rule, rules, fixing_rules };
}

// What the report says, in the language of the page where it is translated.
const said = (model, words, text) => model.report.translations?.[words.code]?.[text] ?? text;

const made_by_run = (finding) => finding.state === 'applied' || finding.state === 'available';
// What a person has something to decide about.
const is_decidable = (finding) => finding.edits.length > 0 || finding.severity !== 'info';

// In every language, so that a search finds what either says.
function haystack(model, finding) {
  const translations = () => Object.values(model.report.translations || {}).map((texts) => texts[finding.message] || '');
  finding.haystack ??= [finding.file.path, finding.subject, finding.rule, finding.message, ...translations(), finding.old_text, finding.new_text || ''].join('\n').toLowerCase();
  return finding.haystack;
}
