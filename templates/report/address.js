// What is shown, as the part of the address after "#": so Back works, and a link can be sent. "#review?severity=error&finding=ID"
const FILTERS = ['text', 'kind', 'severity', 'bucket', 'rule', 'folder', 'certainty', 'decision', 'program'];
const ORDERS = { group: ['action', 'file'], sort: ['worst', 'most', 'path'] };

function address_text({ view, filter, order, chosen }) {
  if (view === 'overview') return '#overview';
  const parts = new URLSearchParams();
  for (const name of FILTERS) if (filter[name]) parts.set(name, filter[name]);
  for (const name of Object.keys(ORDERS)) if (order[name] !== ORDERS[name][0]) parts.set(name, order[name]);
  if (chosen) parts.set('finding', chosen.id);
  return `#review${parts.size ? '?' + parts : ''}`;
}

// null: nothing of ours. "#finding-ID" names a finding alone.
function address_state(hash) {
  if (hash.startsWith('#finding-')) return { view: 'review', filter: {}, order: {}, finding: hash.slice(9) };
  const found = hash.match(/^#(overview|review)(?:\?(.*))?$/s);
  if (!found) return null;
  const parts = new URLSearchParams(found[2] || '');
  const filter = Object.fromEntries(FILTERS.map((name) => [name, parts.get(name) || '']));
  const order = Object.fromEntries(Object.entries(ORDERS).map(([name, values]) => [name, values.includes(parts.get(name)) ? parts.get(name) : values[0]]));
  return { view: found[1], filter, order, finding: parts.get('finding') || '' };
}
