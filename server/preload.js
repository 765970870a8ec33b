// JavaScript that older versions of Node can parse. The programs that it precedes are TypeScript, for which an older Node would
// print a stack trace.
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const oldestMajorVersion = 24;

if (Number.parseInt(process.versions.node, 10) < oldestMajorVersion) {
  refuse(
    `Advisory Chat needs Node ${oldestMajorVersion} or newer, and this is ${process.version}. ` +
      'After npm ci, the npm scripts run on a Node of their own.',
  );
}

try {
  // Loads .env of the working directory. It does not override existing variables.
  process.loadEnvFile();
} catch (error) {
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
