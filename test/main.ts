// npm test: all tests but those of the browser and of servers, or the files that are named.
import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { compiled } from './support/compiled.ts';

const [node = '', , ...words] = process.argv;
const namesFiles = words.some((word) => word.endsWith('.ts'));
const all = ['--ignore', 'test/e2e/**', '--ignore', 'test/**/*.services.test.ts', 'test/**/*.test.ts'];

enableCompileCache(compiled);
process.argv = [node, 'mocha', ...(namesFiles ? [] : all), ...words];
await import(import.meta.resolve('mocha/bin/mocha.js'));
