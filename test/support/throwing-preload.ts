/*
 * Preloaded into a spawned server by `--import`. When `JSON.parse` receives a string that contains this phrase, a promise is rejected
 * outside of every request handler.
 */
const { parse } = JSON;
JSON.parse = (text, reviver) => {
  if (String(text).includes('a promise breaks')) void Promise.reject(new Error('broken in a promise'));
  return parse(text, reviver);
};
