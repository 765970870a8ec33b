import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { memoryWatch } from '../../test/support/memory-watch.ts';
import { idOf, inWords, type Population } from '../../test/support/population.ts';
import { root } from '../../test/support/served-process.ts';
import type { Table } from '../report/table.ts';

type Listed = { words: string; seconds: number; megabytes: number };

const lists = [
  ['list-users'],
  ['list-users', '--json'],
  ['list-organizations'],
  ['list-invitations'],
  ['find-user', 'person', '--limit', '1000000'],
  ['find-request', idOf('request', 7, 2)],
];

/**
 * Runs each as `node server/admin/main.ts` starts it, in a process of its own.
 * @throws Error with what the command says, where it fails
 */
export async function measureLists(url: string, say: (progress: string) => void): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (const words of lists) {
    say(`database: ${words.join(' ')}`);
    const startedAt = performance.now();
    const child = spawn(process.execPath, [`--import=${memoryWatch}`, 'server/admin/main.ts', ...words], {
      cwd: root,
      env: { DATABASE_URL: url },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [told] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    const megabytes = Number(told) / 1024;
    if (Number.isNaN(megabytes)) throw new Error(`${words.join(' ')} failed: ${told}`);
    listed.push({ words: words.join(' '), seconds: (performance.now() - startedAt) / 1000, megabytes });
  }
  return listed;
}

export function listsTable(population: Population, listed: readonly Listed[]): Table {
  return {
    heading: `Operators’ lists of ${inWords(population)}`,
    about:
      'Each as `node server/admin/main.ts` starts it, once, whole: the most memory that the process has had, Node included.',
    columns: ['', 'seconds', 'MB at the most'],
    rows: listed.map(({ words, seconds, megabytes }) => [`\`${words}\``, seconds.toFixed(1), megabytes.toFixed(0)]),
    goals: [
      { what: 'every list', value: Math.max(...listed.map(({ megabytes }) => megabytes)), most: 200, unit: ' MB' },
    ],
  };
}
