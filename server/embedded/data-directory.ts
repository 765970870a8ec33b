import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';

/**
 * Locks the directory of the embedded database for this process, because rows would silently be lost if two processes used it.
 * The operating system releases the lock when the process ends for any reason.
 * @throws Error with a message for the operator if another process holds the lock
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
        'Stop that process, or set DATA_DIR to another directory.',
      { cause: error },
    );
  }
  return { directory: join(dataDirectory, 'database'), unlock: () => lock.close() };
}

/** Generates a session secret on the first call and persists it, so that a restart does not sign users out. */
export function loadOrCreateSessionSecret(dataDirectory: string): string {
  makePrivate(dataDirectory);
  const file = join(dataDirectory, 'session-secret');
  if (!existsSync(file)) {
    // Renames the file once it is complete, so that a crash leaves no partial secret.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600 });
    renameSync(draft, file);
  }
  return readFileSync(file, 'utf8');
}

/** Denies access to other users of the machine, because the directory holds conversations and the session secret. */
function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700);
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
