/*
 * Loaded into a served process by `--import`. Where a text that passes through `JSON.parse` has one of these phrases,
 * something breaks a moment later where no handler can catch it.
 */

const breaks: Record<string, () => void> = {
  'a timer breaks'() {
    setTimeout(() => {
      throw new Error('broken in a timer');
    }, 0);
  },
  'a promise breaks'() {
    void Promise.reject(new Error('broken in a promise'));
  },
};

const { parse } = JSON;
JSON.parse = (text, reviver) => {
  for (const [phrase, act] of Object.entries(breaks)) if (String(text).includes(phrase)) act();
  return parse(text, reviver);
};
