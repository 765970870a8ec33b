import { readFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import process from 'node:process';

/** Of the packages that a reader would ask about. */
const named = ['express', '@anthropic-ai/sdk', 'undici', 'ai', '@ai-sdk/anthropic', '@mikro-orm/core', 'ioredis'];

/** What the figures were taken on, in a sentence. */
export function describeMachine(): string {
  const [first] = cpus();
  const gibibytes = Math.round(totalmem() / 2 ** 30);
  const versions = named.map((name) => `${name} ${versionOf(name)}`).join(', ');
  return (
    `${new Date().toISOString().slice(0, 10)}, ${first?.model.trim() ?? arch()}, ${cpus().length} cores, ${gibibytes} GiB, ` +
    `${type()} ${release()}, Node ${process.version}; ${versions}.`
  );
}

function versionOf(name: string): string {
  const file = new URL(`../../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
