// A list of any length with rows of one height: only those near the window are elements.
function make_virtual_list(attributes, row_height, render) {
  const OVERSCAN = 30;
  const space = h('div', { class: 'space', role: 'presentation' });
  const root = h('div', { ...attributes, class: `virtual ${attributes.class || ''}` }, space);
  let count = 0;
  let rows = new Map();

  function draw() {
    const first = Math.max(0, Math.floor(root.scrollTop / row_height) - OVERSCAN);
    const last = Math.min(count, Math.ceil((root.scrollTop + (root.clientHeight || 600)) / row_height) + OVERSCAN);
    for (const [index, row] of rows) {
      if (index >= first && index < last) continue;
      row.remove();
      rows.delete(index);
    }
    for (let index = first; index < last; ++index) {
      if (rows.has(index)) continue;
      const row = render(index);
      row.style.top = `${index * row_height}px`;
      row.style.height = `${row_height}px`;
      rows.set(index, row);
      space.append(row);
    }
  }
  function reset(new_count) {
    count = new_count;
    rows = new Map();
    space.replaceChildren();
    space.style.height = `${count * row_height}px`;
    draw();
  }
  function show(index, where) {
    const top = index * row_height;
    if (where === 'center') root.scrollTop = top - root.clientHeight / 2 + row_height / 2;
    else if (top < root.scrollTop + row_height) root.scrollTop = top - row_height;
    else if (top + 2 * row_height > root.scrollTop + root.clientHeight) root.scrollTop = top + 2 * row_height - root.clientHeight;
    draw();
  }
  root.addEventListener('scroll', draw, { passive: true });
  new ResizeObserver(draw).observe(root);
  // The rows that are there are made anew; nothing moves.
  function redraw_shown() {
    for (const row of rows.values()) row.remove();
    rows = new Map();
    draw();
  }
  return { root, space, reset, show, redraw_shown };
}
