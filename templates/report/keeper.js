// Where decisions are kept: in the browser, or, of a page that `migrator serve` shows, in decisions.json on the disk.
const is_served = location.protocol === 'http:';

// `kept`: is told each time whether the browser had room for them.
function browser_keeper(key, kept) {
  const saved = storage.get(key) || '';
  return { saved, origin: [saved ? 'fromBrowser' : 'fromNowhere', ''], keep: (text) => kept(storage.set(key, text)) };
}

// One request at a time; what has changed meanwhile goes with the next. `report`: is told 'saved', or what went wrong.
async function disk_keeper(report) {
  const NAME = 'decisions.json';
  const answer = await fetch(NAME);
  let tag = answer.headers.get('ETag');
  let waiting = null;
  let busy = false;
  async function send() {
    busy = true;
    while (waiting !== null) {
      const body = waiting;
      waiting = null;
      try {
        const done = await fetch(NAME, { method: 'PUT', headers: { 'Content-Type': 'application/json', 'If-Match': tag }, body });
        if (!done.ok) throw new Error((await done.text()).trim());
        tag = done.headers.get('ETag');
        report('saved', '');
      } catch (error) {
        report('failed', error.message);
      }
    }
    busy = false;
  }
  async function idle() {
    while (busy) await new Promise((done) => setTimeout(done, 50));
  }
  return {
    saved: await answer.text(),
    origin: ['fromDisk', NAME],
    keep(text) {
      waiting = text;
      if (!busy) send();
    },
    is_idle: () => !busy,
    place: await (await fetch('project.json')).json(),
    // What was said of it; only of decisions that are saved.
    async apply(wanted) {
      await idle();
      const done = await fetch('apply', { method: 'POST', headers: { 'Content-Type': 'application/json', 'If-Match': tag }, body: JSON.stringify(wanted) });
      const text = (await done.text()).trim();
      if (!done.ok) throw new Error(text);
      return text;
    },
  };
}
