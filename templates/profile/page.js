'use strict';
(() => {
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
  for (const table of document.querySelectorAll('table.sorted')) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
      const isNumber = head.classList.contains('number');
      const before = head.getAttribute('aria-sort');
      const next = before === null ? (isNumber ? 'descending' : 'ascending') : before === 'ascending' ? 'descending' : 'ascending';
      for (const other of heads) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', next);
      const sign = next === 'ascending' ? 1 : -1;
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column))));
    }));
  }
  for (const search of document.querySelectorAll('.tools input')) {
    const section = search.closest('section');
    const rows = [...section.querySelector('tbody').rows].map((row) => [row, row.cells[0].textContent.toLowerCase()]);
    const show = () => {
      const word = search.value.trim().toLowerCase();
      for (const [row, text] of rows) row.hidden = !text.includes(word);
      section.querySelector('.shown').textContent = `${rows.filter(([row]) => !row.hidden).length} / ${rows.length}`;
    };
    search.addEventListener('input', show);
    show();
  }
  document.documentElement.dataset.ready = 'true';
})();
