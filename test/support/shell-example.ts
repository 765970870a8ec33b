import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** What needs nothing but Node to be tested cannot count on curl. */
export const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** Runs a document's example for the shell against the application at `url`, and gives what it prints. */
export async function runExample(example: string, url: string): Promise<string> {
  const command = example.replace('http://localhost:3000', url);
  return (await promisify(execFile)('sh', ['-c', command])).stdout;
}
