import { fileURLToPath } from 'node:url';

export const compileCacheDirectory = fileURLToPath(
  new URL('../../node_modules/.cache/advisory-chat-tests/compiled', import.meta.url),
);
