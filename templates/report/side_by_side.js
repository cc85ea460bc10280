// The lines of a file before and after the edits that are on, as pairs of rows.
// Columns of a report count code points; strings here count UTF-16 units.
function unit_offset(line, column) {
  if (!/[\ud800-\udbff]/.test(line)) return Math.min(column - 1, line.length);
  return [...line].slice(0, column - 1).join('').length;
}

// `pieces` of text, some marked, as lines with marks.
function lines_of_pieces(pieces) {
  const lines = [{ text: '', marks: [] }];
  for (const { text, marked } of pieces) {
    text.split(/\r\n|\r|\n/).forEach((part, i) => {
      if (i > 0) lines.push({ text: '', marks: [] });
      const line = lines[lines.length - 1];
      if (marked && part) line.marks.push({ begin: line.text.length, end: line.text.length + part.length });
      line.text += part;
    });
  }
  return lines;
}

// What the lines first..last of the excerpt become, both sides with marks.
function changed_lines(excerpt, first, last, edits) {
  const line_at = (line) => excerpt.lines[line - excerpt.line];
  const old_pieces = [];
  const new_pieces = [];
  let line = first;
  let at = 0;
  const keep_up_to = (end_line, end) => {
    let text = '';
    for (; line < end_line; ++line, at = 0) text += line_at(line).slice(at) + '\n';
    text += line_at(line).slice(at, end);
    at = Math.max(at, end);
    old_pieces.push({ text });
    new_pieces.push({ text });
  };
  for (const edit of edits) {
    keep_up_to(edit.begin.line, unit_offset(line_at(edit.begin.line), edit.begin.column));
    old_pieces.push({ text: edit.old_text, marked: true });
    new_pieces.push({ text: edit.new_text, marked: true });
    line = edit.end.line;
    at = unit_offset(line_at(line), edit.end.column);
  }
  keep_up_to(last, line_at(last).length);
  return [lines_of_pieces(old_pieces), lines_of_pieces(new_pieces)];
}

// Groups of edits that share lines: [{first, last, edits}].
function clusters(edits) {
  const out = [];
  for (const edit of edits) {
    const group = out[out.length - 1];
    if (group && edit.begin.line <= group.last) {
      group.last = Math.max(group.last, edit.end.line);
      group.edits.push(edit);
    } else out.push({ first: edit.begin.line, last: edit.end.line, edits: [edit] });
  }
  return out;
}

// Rows: {gap} | {kind: 'same' | 'changed', old: {number, text, marks} | null, new: ..., line}.
function side_by_side(file, is_on) {
  const edits = file.edits.filter(is_on);
  const rows = [];
  let shift = 0;
  if (file.original && file.original.sha256 === null) {
    lines_of_pieces(edits.map((edit) => ({ text: edit.new_text }))).forEach((line, i) => rows.push({ kind: 'changed', old: null, new: { number: i + 1, ...line }, line: 1 }));
    return rows;
  }
  const groups = clusters(edits);
  let next = 0;
  for (const excerpt of file.excerpts) {
    const last = excerpt.line + excerpt.lines.length - 1;
    if (excerpt.line > 1) rows.push({ gap: excerpt.line });
    let line = excerpt.line;
    const same_up_to = (end) => {
      for (; line < end; ++line) {
        const text = excerpt.lines[line - excerpt.line];
        rows.push({ kind: 'same', old: { number: line, text, marks: [] }, new: { number: line + shift, text, marks: [] }, line });
      }
    };
    for (; next < groups.length && groups[next].first <= last; ++next) {
      const group = groups[next];
      same_up_to(group.first);
      const [before, after] = changed_lines(excerpt, group.first, Math.min(group.last, last), group.edits);
      push_pairs(rows, before, after, group.first, shift);
      shift += after.length - before.length;
      line = group.last + 1;
    }
    same_up_to(last + 1);
  }
  return rows;
}

function push_pairs(rows, before, after, first, shift) {
  const same = (a, b) => a && b && a.text === b.text;
  let head = 0;
  while (head < before.length && same(before[head], after[head])) ++head;
  let tail = 0;
  while (tail < before.length - head && same(before[before.length - 1 - tail], after[after.length - 1 - tail])) ++tail;
  const side = (lines, i, base) => i < lines.length ? { number: base + i, ...lines[i] } : null;
  const plain = (i, j) => rows.push({ kind: 'same', old: { number: first + i, text: before[i].text, marks: [] }, new: { number: first + shift + j, text: after[j].text, marks: [] }, line: first + i });
  for (let i = 0; i < head; ++i) plain(i, i);
  const old_end = before.length - tail;
  const new_end = after.length - tail;
  for (let i = head; i < Math.max(old_end, new_end); ++i) {
    rows.push({
      kind: 'changed', line: first + Math.min(i, before.length - 1),
      old: i < old_end ? side(before, i, first) : null, new: i < new_end ? side(after, i, first + shift) : null,
    });
  }
  for (let i = tail; i > 0; --i) plain(before.length - i, after.length - i);
}
