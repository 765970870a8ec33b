// npm run test:e2e runs the browser tests in Chromium, `-- --engine firefox` in Firefox, and `-- --engine webkit` the tests of the
// main paths in WebKit. If files are given, only these run.
import process from 'node:process';

const [node = '', , ...words] = process.argv;
const option = words.indexOf('--engine');
const [, engine = 'chromium'] = option === -1 ? [] : words.splice(option, 2);
const suites = {
  chromium: ['--config', 'test/e2e/mocharc.json', '--forbid-pending'],
  // A test that needs what the driver lacks is pending. The reporter names what it lacks.
  firefox: ['--config', 'test/e2e/mocharc.json', '--reporter', 'test/e2e/support/reporter.ts'],
  webkit: ['--config', 'test/webkit/mocharc.json'],
};
if (!Object.hasOwn(suites, engine)) throw new Error(`--engine is one of ${Object.keys(suites).join(', ')}.`);

const directory = engine === 'webkit' ? 'webkit' : 'e2e';
const files = words.some((word) => word.endsWith('.ts')) ? [] : [`test/${directory}/**/*.test.ts`];
// The worker processes inherit the variable.
process.env.E2E_ENGINE = engine;
process.argv = [node, 'mocha', ...suites[engine as keyof typeof suites], ...files, ...words];
await import(import.meta.resolve('mocha/bin/mocha.js'));
