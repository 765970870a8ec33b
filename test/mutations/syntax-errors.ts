import { parseSync } from 'vite';

/** Why the changed `source` of `file` cannot be read, if it is code: a fault that nothing can run proves nothing. */
export function syntaxErrors(file: string, source: string): string[] {
  if (!/\.(?:ts|tsx)$/.test(file)) return [];
  return parseSync(file, source).errors.map(({ message }) => message);
}
