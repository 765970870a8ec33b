import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

/*
 * What a browser downloads, gzipped: every file of the built client, and the JavaScript of the first load, which must stay
 * under 150 kB. Run with `node bench/bundle.ts`; it builds in memory and exits with 1 where the first load is too large.
 */

const mostFirstLoadBytes = 150_000;

const root = fileURLToPath(new URL('..', import.meta.url));
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
  isEntry: file.type === 'chunk' && file.isEntry,
}));

const firstLoad = new Set(files.filter(({ isEntry }) => isEntry));
for (const file of firstLoad) {
  for (const imported of files.filter(({ name }) => file.imports.includes(name))) firstLoad.add(imported);
}
const firstLoadBytes = Array.from(firstLoad, ({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes, 0);

const line = (bytes: number, what: string) =>
  process.stdout.write(`${(bytes / 1000).toFixed(1).padStart(7)} kB  ${what}\n`);
for (const file of files.toSorted((one, other) => other.bytes - one.bytes)) {
  line(file.bytes, `${file.name}${firstLoad.has(file) ? ' (first load)' : ''}`);
}
line(firstLoadBytes, `JavaScript of the first load, of at most ${mostFirstLoadBytes / 1000} kB`);
if (firstLoadBytes > mostFirstLoadBytes) process.exitCode = 1;
