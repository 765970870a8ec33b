import { fileURLToPath } from 'node:url';

/** The directory of Node's compile cache, which the processes of the tests share. */
export const compileCacheDirectory = fileURLToPath(
  new URL('../../node_modules/.cache/advisory-chat-tests/compiled', import.meta.url),
);
