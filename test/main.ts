// npm test: all tests but those of the browser and of servers, on every core; or the files that are named, in one process.
import { globSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { compiled } from './support/compiled.ts';

const [node = '', , ...words] = process.argv;
const namesFiles = words.some((word) => word.endsWith('.ts'));
const jobs = String(availableParallelism());
const elsewhere = ['test/e2e/**', 'test/**/*.services.test.ts'];
// First the tests of whole processes: begun last, they would go on when all others have ended.
const files = ['test/server/*.test.ts', 'test/**/*.test.ts'].flatMap((files) =>
  globSync(files, { exclude: elsewhere }),
);
const all = ['--parallel', '--jobs', jobs, ...new Set(files)];

enableCompileCache(compiled);
// For the processes that run the files.
process.env.NODE_COMPILE_CACHE = compiled;
process.argv = [node, 'mocha', ...(namesFiles ? [] : all), ...words];
await import(import.meta.resolve('mocha/bin/mocha.js'));
