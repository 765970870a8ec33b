// In JavaScript that any Node reads. The programs after it are TypeScript, at which an older Node ends with a stack trace.
import process from 'node:process';

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

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}
