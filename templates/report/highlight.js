// Colours for code: enough to read by, line by line; a string of several lines is followed where its begin is seen.
const KEYWORDS = {
  python: 'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case',
  cpp: 'auto bool break case char class const constexpr continue delete do double else enum extern float for if inline int long namespace new nullptr return short signed sizeof static struct switch template this throw typedef typename union unsigned using virtual void volatile while __global__ __device__ __host__ __shared__',
  shell: 'if then else elif fi for in do done while until case esac function export local return source set unset exit echo cd',
};
const LANGUAGE = { python: 'python', cython: 'python', notebook: 'python', cuda: 'cpp', cpp: 'cpp', shell: 'shell', dockerfile: 'settings', requirements: 'settings', yaml: 'settings', toml: 'settings', setup_cfg: 'settings', json: 'json' };
const COMMENT = { python: '#[^\\n]*', shell: '#[^\\n]*', settings: '#[^\\n]*', cpp: '\\/\\/[^\\n]*|\\/\\*.*?(?:\\*\\/|$)', json: '(?!)' };
const keyword_sets = Object.fromEntries(Object.entries(KEYWORDS).map(([name, words]) => [name, new Set(words.split(' '))]));
const token_patterns = {};

function token_pattern(language) {
  token_patterns[language] ??= new RegExp([
    `(?<comment>${COMMENT[language]})`,
    '(?<string>[rRbBfFuU]{0,2}(?:"""|\'\'\')|"(?:[^"\\\\]|\\\\.)*"?|\'(?:[^\'\\\\]|\\\\.)*\'?)',
    '(?<number>(?<![\\w.:/-])\\d[\\w.]*)', '(?<word>[\\p{L}_][\\p{L}\\p{N}_]*)', '(?<decorator>@[\\w.]+)',
  ].join('|'), 'gu');
  return token_patterns[language];
}

// [{begin, end, name}] of a line; `state.quote` is the quote of a string that is open.
function tokens_of(line, type, state) {
  const language = LANGUAGE[type];
  if (!language || line.length > 1000) return [];
  const out = [];
  let at = 0;
  if (state.quote) {
    const end = line.indexOf(state.quote);
    if (end < 0) return [{ begin: 0, end: line.length, name: 'string' }];
    at = end + 3;
    out.push({ begin: 0, end: at, name: 'string' });
    state.quote = '';
  }
  const pattern = token_pattern(language);
  for (pattern.lastIndex = at; ;) {
    const match = pattern.exec(line);
    if (!match) return out;
    const { comment, string, number: digits, word, decorator } = match.groups;
    let end = pattern.lastIndex;
    let name = comment ? 'comment' : string ? 'string' : digits ? 'number' : decorator ? 'name' : '';
    if (language === 'python' && string && /("""|''')$/.test(string)) {
      const quote = string.slice(-3);
      const close = line.indexOf(quote, end);
      if (close < 0) state.quote = quote;
      end = close < 0 ? line.length : close + 3;
      pattern.lastIndex = end;
    }
    if (word && keyword_sets[language]?.has(word)) name = 'keyword';
    else if (word && line[end] === '(') name = 'name';
    if (name) out.push({ begin: match.index, end, name });
    if (end >= line.length) return out;
  }
}

// The line with its colours, and `marks` ([{begin, end}], in order) as changed.
function coloured(line, tokens, marks) {
  const cuts = new Set([0, line.length]);
  for (const part of [...tokens, ...marks]) cuts.add(Math.min(part.begin, line.length)).add(Math.min(part.end, line.length));
  const places = [...cuts].sort((a, b) => a - b);
  const out = [];
  let token = 0;
  let mark = 0;
  for (let i = 0; i + 1 < places.length; ++i) {
    const begin = places[i];
    while (token < tokens.length && tokens[token].end <= begin) ++token;
    while (mark < marks.length && marks[mark].end <= begin) ++mark;
    const name = token < tokens.length && tokens[token].begin <= begin ? tokens[token].name : '';
    const marked = mark < marks.length && marks[mark].begin <= begin;
    const text = literal(line.slice(begin, places[i + 1]));
    const inner = name ? [h('span', { class: `t-${name}` }, text)] : text;
    out.push(...(marked ? [h('mark', {}, inner)] : inner));
  }
  return out;
}
