import { execFileSync } from 'node:child_process';
import process from 'node:process';

/** To run a server as `name` that refuses to run as root; nothing where nobody is root. */
export function systemAccount(name: string): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
