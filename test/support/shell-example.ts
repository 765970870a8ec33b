import { spawnSync } from 'node:child_process';
import { run } from './server-process.ts';

/** `npm test` requires only Node, so tests that run curl are defined only if it is installed. */
export const hasCurl = spawnSync('curl', ['--version']).status === 0;

export async function runExample(example: string, url: string): Promise<string> {
  const command = example.replace('http://localhost:3000', url);
  return (await run('sh', ['-c', command])).stdout;
}
