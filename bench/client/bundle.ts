import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildClient } from '../../server/pages/client-build.ts';
import type { Table } from '../report/table.ts';

/** The most that the JavaScript of the first load may have, gzipped. */
const mostFirstLoadBytes = 150_000;

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * What a browser downloads, gzipped: every file of the client, built for this, and the JavaScript of the first load, which
 * is the scripts that the page names: what they import at once is among them.
 */
export async function measureBundle(): Promise<{ table: Table; tooLarge: boolean }> {
  const place = await mkdtemp(join(tmpdir(), 'advisory-chat-'));
  try {
    await buildClient(root, place);
    return tableOf(await filesIn(place));
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type BuiltFile = { name: string; bytes: number; isFirstLoad: boolean };

async function filesIn(place: string): Promise<BuiltFile[]> {
  const page = await readFile(join(place, 'index.html'), 'utf8');
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  // The build leaves compressed copies beside the files.
  const names = entries
    .filter((entry) => entry.isFile() && !/\.(?:br|gz)$/.test(entry.name))
    .map((entry) => relative(place, join(entry.parentPath, entry.name)));
  return await Promise.all(
    names.map(async (name) => ({
      name,
      bytes: gzipSync(await readFile(join(place, name))).length,
      isFirstLoad: name.endsWith('.js') && page.includes(`"/${name}"`),
    })),
  );
}

function tableOf(files: BuiltFile[]) {
  const firstLoad = files.filter(({ isFirstLoad }) => isFirstLoad);
  if (firstLoad.length === 0) throw new Error('The page names no script.');
  const firstLoadBytes = firstLoad.reduce((sum, { bytes }) => sum + bytes, 0);

  const kilobytes = (bytes: number) => (bytes / 1000).toFixed(1);
  const rows = files
    .toSorted((one, other) => other.bytes - one.bytes)
    .map((file) => [`${file.name}${file.isFirstLoad ? ' (first load)' : ''}`, kilobytes(file.bytes)]);
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
