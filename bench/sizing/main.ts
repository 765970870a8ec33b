import process from 'node:process';
import { readOptions, usage } from './options.ts';
import { printed } from './printed.ts';

/*
 * Says what so many people need. docs/sizing.md says how to read it.
 */

try {
  const use = readOptions(process.argv.slice(2));
  process.stdout.write(use === null ? usage : printed(use));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
