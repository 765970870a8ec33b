import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'vite';
import { root } from './served-process.ts';

/** Returns the identifiers in the files that match `pattern` and whose paths do not start with one of `exclude`. */
export function namesIn(pattern: string, exclude: readonly string[] = []): ReadonlySet<string> {
  const names = new Set<string>();
  const paths = globSync(pattern, { cwd: root }).filter((path) => !exclude.some((start) => path.startsWith(start)));
  for (const path of paths) {
    const { program } = parseSync(path, readFileSync(join(root, path), 'utf8'));
    JSON.stringify(program, (_, node) => {
      if (node?.type === 'Identifier') names.add(node.name);
      return typeof node === 'bigint' ? undefined : node;
    });
  }
  return names;
}
