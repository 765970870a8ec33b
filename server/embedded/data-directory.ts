import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';

/**
 * Takes the directory of the embedded database for this process alone; two on one directory lose rows without a word.
 * The lock is one that the operating system drops with its process, however that ends. The returned function gives it back.
 * @throws Error with a sentence for the person who starts a second process
 */
export function lockDatabaseDirectory(dataDirectory: string): { directory: string; unlock: () => void } {
  makePrivate(dataDirectory);
  const lock = new DatabaseSync(join(dataDirectory, 'database.lock'));
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Error(
      `Another process is using the embedded database in ${resolve(dataDirectory)}. ` +
        'Stop that process, or give this one a DATA_DIR of its own.',
      { cause: error },
    );
  }
  return { directory: join(dataDirectory, 'database'), unlock: () => lock.close() };
}

/** The session secret of a machine where none is configured: made once, and kept so that a restart signs nobody out. */
export function persistedSessionSecret(dataDirectory: string): string {
  makePrivate(dataDirectory);
  const file = join(dataDirectory, 'session-secret');
  if (!existsSync(file)) {
    // Put in place whole: a crash leaves no part of one.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600 });
    renameSync(draft, file);
  }
  return readFileSync(file, 'utf8');
}

/** Nobody else on this machine may look into it: it holds what people wrote, and the secret that signs their sessions. */
function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
