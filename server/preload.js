// JavaScript that older versions of Node can parse. The programs that it precedes are TypeScript, for which an older Node would
// print a stack trace.
import { readFileSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import util from 'node:util';

const oldestMajorVersion = 24;

if (Number.parseInt(process.versions.node, 10) < oldestMajorVersion) {
  refuse(
    `Advisory Chat needs Node ${oldestMajorVersion} or newer, and this is ${process.version}. ` +
      'After npm ci, the npm scripts run on a Node of their own.',
  );
}

try {
  // Unlike `process.loadEnvFile`, the decoder drops a byte order mark, which would be part of the first name.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync('.env'));
  // Variables of the environment take precedence, even empty ones.
  for (const [name, value] of Object.entries(util.parseEnv(text))) process.env[name] ??= value;
} catch (error) {
  if (error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') refuse('.env is not UTF-8 text.');
  if (error.code !== 'ENOENT') refuse(`.env cannot be read (${error.code}).`);
}

// Enables the compile cache before any TypeScript is loaded, which makes starts faster. It is not in the temporary
// directory, where other users could place code.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/advisory-chat', import.meta.url)));

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
