/*
 * Preloaded into a spawned server by `--import`. When `JSON.parse` receives a string that contains one of these phrases,
 * an error is thrown outside of every request handler.
 */

const failures: Record<string, () => void> = {
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
  for (const [phrase, fail] of Object.entries(failures)) if (String(text).includes(phrase)) fail();
  return parse(text, reviver);
};
