// In JavaScript that any Node reads. The programs after it are TypeScript, at which an older Node ends with a stack trace.
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
  // .env in the directory that the program is started in. What the environment has already stays as it is.
  process.loadEnvFile();
} catch (error) {
  if (error.code !== 'ENOENT') refuse(`.env cannot be read (${error.code}).`);
}

// Before any TypeScript is loaded: a start reads what the last one compiled, and takes less time. Not in the directory for
// temporary files, where others could put something to run.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/advisory-chat', import.meta.url)));

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
