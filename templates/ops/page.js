'use strict';
(() => {
  const search = document.getElementById('search');
  const verdict = document.getElementById('verdict');
  const rows = [...document.getElementById('operators').rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const show = () => {
    const word = search.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, number) => {
      row.hidden = !texts[number].includes(word) || (verdict.value !== '' && row.dataset.verdict !== verdict.value);
      shown += row.hidden ? 0 : 1;
    });
    document.getElementById('shown').textContent = `${shown} / ${rows.length}`;
  };
  search.addEventListener('input', show);
  verdict.addEventListener('change', show);
  show();
})();
