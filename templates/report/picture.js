// A picture of the project: its modules as tiles, by how much is in them and what is open; a tile leads a level down.
function make_picture(page) {
  const { model, words, decisions } = page;
  const MAX_TILES = 24;
  const HEIGHT = 46;  // of 100 in width
  const has_tests = model.report.files.some((file) => file.test);
  let of_tests = false;
  let folder = '';
  const box = h('div', { class: 'map' });
  const crumbs = h('p', { class: 'crumbs small' });
  const which = has_tests ? h('p', { class: 'buttons small', role: 'group', 'aria-label': words.whichCode }, [false, true].map((value) =>
    h('button', { type: 'button', class: 'plain', 'data-tests': String(value), click: () => { of_tests = value; folder = ''; draw(); } }, words.code_of[value ? 'tests' : 'product']))) : null;

  // Folders and files right below the folder: [{name, path, is_file, count, open, error}].
  function modules() {
    const all = new Map();
    for (const finding of model.findings) {
      const { path, test } = finding.file;
      if (Boolean(test) !== of_tests || (folder && !path.startsWith(folder + '/'))) continue;
      const rest = folder ? path.slice(folder.length + 1) : path;
      const slash = rest.indexOf('/');
      const name = slash < 0 ? rest : rest.slice(0, slash);
      if (!all.has(name)) all.set(name, { name, path: folder ? `${folder}/${name}` : name, is_file: slash < 0, count: 0, open: 0, tone: 'applied' });
      const item = all.get(name);
      ++item.count;
      if (!is_task(finding) || is_settled(decisions.about(finding))) continue;
      ++item.open;
      if (finding.severity === 'error' || item.tone === 'applied') item.tone = finding.severity;
    }
    return [...all.values()].sort((a, b) => b.count - a.count);
  }
  function tiles() {
    const all = modules();
    if (all.length <= MAX_TILES) return all;
    const rest = all.slice(MAX_TILES - 1);
    const worst = ['error', 'warning', 'applied'].find((tone) => rest.some((item) => item.tone === tone));
    return [...all.slice(0, MAX_TILES - 1), { name: words.others(number(rest.length)), path: folder, is_rest: true, count: rest.reduce((sum, item) => sum + item.count, 0), open: rest.reduce((sum, item) => sum + item.open, 0), tone: worst }];
  }
  function go_to(item) {
    if (item.is_file || item.is_rest) return page.review_with({ folder: item.path });
    folder = item.path;
    return draw();
  }
  function draw() {
    box.replaceChildren(...squarified(tiles(), 100, HEIGHT).map(({ item, x, y, width, height }) => {
      const state = words.tileState(number(item.count), number(item.open));
      const tile = h('button', { type: 'button', class: `tile ${item.tone}`, title: `${item.name}: ${state}`, 'aria-label': `${item.name}: ${state}`, click: () => go_to(item) }, h('span', { class: 'mono' }, literal(item.name)), h('b', {}, number(item.count)));
      Object.assign(tile.style, { left: `${x}%`, top: `${y / HEIGHT * 100}%`, width: `${width}%`, height: `${height / HEIGHT * 100}%` });
      return tile;
    }));
    const steps = folder ? folder.split('/') : [];
    const crumb = (name, path) => h('button', { type: 'button', class: 'link', click: () => { folder = path; draw(); } }, literal(name));
    crumbs.replaceChildren(crumb(words.project, ''), ...steps.flatMap((name, i) => [' / ', crumb(name, steps.slice(0, i + 1).join('/'))]), folder ? ' · ' : '',
      folder ? h('button', { type: 'button', class: 'link', click: () => page.review_with({ folder }) }, words.reviewFolder) : '');
    for (const button of which?.children || []) button.setAttribute('aria-pressed', String(button.dataset.tests === String(of_tests)));
  }
  of_tests = has_tests && !model.findings.some((finding) => !finding.file.test);
  draw();
  return [which, crumbs, box, h('p', { class: 'muted small' }, words.mapHint)];
}

// Rectangles for the items, whose `count` is their area, as square as rows of them can be.
function squarified(items, width, height) {
  const total = items.reduce((sum, item) => sum + item.count, 0);
  const out = [];
  let rest = items.map((item) => ({ item, area: item.count / total * width * height }));
  let x = 0;
  let y = 0;
  while (rest.length) {
    const side = Math.min(width - x, height - y);
    const worst = (row) => {
      const sum = row.reduce((all, one) => all + one.area, 0);
      const depth = sum / side;
      return Math.max(...row.map((one) => Math.max(one.area / depth / depth, depth * depth / one.area)));
    };
    let taken = 1;
    while (taken < rest.length && worst(rest.slice(0, taken + 1)) <= worst(rest.slice(0, taken))) ++taken;
    const row = rest.slice(0, taken);
    rest = rest.slice(taken);
    const depth = row.reduce((sum, one) => sum + one.area, 0) / side;
    const upright = width - x >= height - y;
    let at = upright ? y : x;
    for (const { item, area } of row) {
      const length = area / depth;
      out.push(upright ? { item, x, y: at, width: depth, height: length } : { item, x: at, y, width: length, height: depth });
      at += length;
    }
    if (upright) x += depth;
    else y += depth;
  }
  return out;
}
