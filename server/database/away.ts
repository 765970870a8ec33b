import { setTimeout as delay } from 'node:timers/promises';

/**
 * SQLSTATEs of a database that is not there just now: every failure of a connection (class 08), a server that shuts down,
 * has crashed or starts (57P01 to 57P03), and one that takes no writes because it is a standby (25006).
 */
const awayStates = /^(?:08\w{3}|57P0[123]|25006)$/;

/** What Node says of a connection that cannot be made or has broken. `ENOENT` is a socket's file that is gone. */
const brokenConnections: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** `pg` and its pool have no codes of their own. */
const awaySentences: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
]);

/** Whether the database could not be reached, or gave no answer: it may be back in a moment. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (awaySentences.has(error.message)) return true;
  const code = 'code' in error ? String(error.code) : '';
  return brokenConnections.has(code) || awayStates.test(code);
}

/** As long as a database takes to start or to fail over. */
const startWaitMilliseconds = 60_000;
const pauseMilliseconds = 1_000;

/**
 * Opens the database, and for a minute tries again where it is away; `onAway` is told the first reason. Any other failure
 * is the caller's at once, for waiting does not mend it.
 */
export async function openOnceThere<T>(
  open: () => Promise<T>,
  onAway: (error: unknown) => void,
  { clock = () => performance.now(), pause = (milliseconds: number) => delay(milliseconds) } = {},
): Promise<T> {
  const begun = clock();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await open();
    } catch (error) {
      if (!isAway(error) || clock() - begun >= startWaitMilliseconds) throw error;
      if (attempt === 1) onAway(error);
      await pause(pauseMilliseconds);
    }
  }
}
