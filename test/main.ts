// npm test: all tests but those of the browser and of servers, on every core; or the files that are named, in one process.
import { enableCompileCache } from 'node:module';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { compiled } from './support/compiled.ts';

const [node = '', , ...words] = process.argv;
const namesFiles = words.some((word) => word.endsWith('.ts'));
const all = [
  ...['--parallel', '--jobs', String(availableParallelism())],
  ...['--ignore', 'test/e2e/**', '--ignore', 'test/**/*.services.test.ts', 'test/**/*.test.ts'],
];

enableCompileCache(compiled);
// For the processes that run the files.
process.env.NODE_COMPILE_CACHE = compiled;
process.argv = [node, 'mocha', ...(namesFiles ? [] : all), ...words];
await import(import.meta.resolve('mocha/bin/mocha.js'));
