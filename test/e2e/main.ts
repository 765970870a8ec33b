// npm run test:e2e runs the browser tests in Chromium, `-- --engine firefox` in Firefox, and `-- --engine webkit` the tests of the
// main paths in WebKit. `--main` selects the tests whose subject differs between engines. If files are given, only these run.
// npm run test:stops stops twenty replies.
import process from 'node:process';
import { parseArgs } from 'node:util';

const suites = {
  chromium: ['--config', 'test/e2e/mocharc.json', '--forbid-pending'],
  // A test that needs what the browser or its driver lacks is pending. The reporter names what it lacks.
  firefox: ['--config', 'test/e2e/mocharc.json', '--reporter', 'test/e2e/support/reporter.ts'],
  webkit: ['--config', 'test/webkit/mocharc.json'],
};

const mainFiles = ['content-security-policy', 'diagrams', 'drafts', 'package-on-a-page', 'reading', 'stop', 'tabs'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

const [node = '', , ...words] = process.argv;
const { values, tokens } = parseArgs({
  args: words,
  options: { engine: { type: 'string', default: 'chromium' }, main: { type: 'boolean', default: false } },
  strict: false,
  tokens: true,
});
const engine = String(values.engine);
if (!isEngine(engine)) throw new Error(`--engine is one of ${Object.keys(suites).join(', ')}.`);

const ours = tokens.flatMap((token) => {
  if (token.kind !== 'option' || (token.name !== 'engine' && token.name !== 'main')) return [];
  return token.name === 'engine' && !token.inlineValue ? [token.index, token.index + 1] : [token.index];
});
const ofMocha = words.filter((_, index) => !ours.includes(index));
const directory = engine === 'webkit' ? 'webkit' : 'e2e';

// The worker processes inherit the variable.
process.env.E2E_ENGINE = engine;
// The embedded database leaves a timer for each statement timeout, which would keep a process without workers for ten seconds.
process.argv = [node, 'mocha', ...suites[engine], '--exit', ...selectedFiles(), ...ofMocha];
await import(import.meta.resolve('mocha/bin/mocha.js'));

function selectedFiles(): string[] {
  if (ofMocha.some((word) => word.endsWith('.ts'))) return [];
  if (process.env.STOPS !== undefined) return [`test/${directory}/stop.test.ts`];
  return values.main ? mainFiles : [`test/${directory}/**/*.test.ts`];
}

function isEngine(name: string): name is keyof typeof suites {
  return Object.hasOwn(suites, name);
}
