import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import type { Table } from '../report/table.ts';

/** The most that the JavaScript of the first load may have, gzipped. */
const mostFirstLoadBytes = 150_000;

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a browser downloads, gzipped: every file of the built client, and the JavaScript of the first load. Builds in memory. */
export async function measureBundle(): Promise<{ table: Table; tooLarge: boolean }> {
  const built = await build({
    root: join(root, 'client'),
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { write: false },
  });
  if (Array.isArray(built) || !('output' in built)) throw new Error('The build has one output.');

  const files = built.output.map((file) => ({
    name: file.fileName,
    bytes: gzipSync(file.type === 'chunk' ? file.code : file.source).length,
    imports: file.type === 'chunk' ? file.imports : [],
  }));
  const page = built.output.find(({ fileName }) => fileName === 'index.html');
  if (page?.type !== 'asset') throw new Error('The build has no page.');
  const named = String(page.source);
  const firstLoad = new Set(files.filter(({ name }) => name.endsWith('.js') && named.includes(name)));
  if (firstLoad.size === 0) throw new Error('The page names no script.');
  for (const file of firstLoad) {
    for (const imported of files.filter(({ name }) => file.imports.includes(name))) firstLoad.add(imported);
  }
  const firstLoadBytes = Array.from(firstLoad, ({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes, 0);

  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
  const rows = files
    .toSorted((one, other) => other.bytes - one.bytes)
    .map((file) => [`${file.name}${firstLoad.has(file) ? ' (first load)' : ''}`, kilobytes(file.bytes)]);
  return {
    tooLarge: firstLoadBytes > mostFirstLoadBytes,
    table: {
      heading: 'What a browser downloads',
      about: `Gzipped. The JavaScript of the first load may have ${mostFirstLoadBytes / 1000} kB at most.`,
      columns: ['', 'kB'],
      rows: [['JavaScript of the first load', kilobytes(firstLoadBytes)], ...rows],
    },
  };
}
