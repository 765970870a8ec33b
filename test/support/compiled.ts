import { fileURLToPath } from 'node:url';

/** Where the tests keep what Node has compiled, for the next process. */
export const compiled = fileURLToPath(
  new URL('../../node_modules/.cache/advisory-chat-tests/compiled', import.meta.url),
);
