import type { Logger } from 'pino';
import { AppError } from '../app-error.ts';
import type { Client } from './client.ts';

/** How long turns wait for the database, from the beginning of its outage on. */
const timeoutMilliseconds = 10_000;

/** Between two attempts to reach the database. */
const retryDelayMilliseconds = 500;

/** SQLSTATE of a server that answers and takes no writes: a standby. */
const readOnlyState = '25006';

/** SQLSTATE of a server that has reached `max_connections`, or the limit of the login or of the database. */
const noFreeConnectionState = '53300';

/** SQLSTATEs of every failure of a connection (class 08), and of a server that shuts down, has crashed or starts. */
const awayStates = /^(?:08\w{3}|57P0[123])$/;

/** Node's codes for a connection that cannot be made or has broken. `ENOENT`: the file of the socket does not exist. */
const brokenConnections: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
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

/**
 * Whether the database could not be reached, has no free connection, gave no answer, or takes no writes: another attempt
 * may succeed in a moment.
 */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code === readOnlyState || code === noFreeConnectionState) return true;
  if (brokenConnections.has(code) || awayStates.test(code)) return true;
  return error instanceof Error && awaySentences.has(error.message);
}

/** Whether a server has refused the connection because it has no free one; of several servers, one of them. */
export function isWithoutFreeConnection(error: unknown): boolean {
  if (codeOf(error) === noFreeConnectionState) return true;
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
    ? error.errors.some(isWithoutFreeConnection)
    : false;
}

/** Why the database cannot be used, for an operator; undefined where the error does not say. */
export function unavailableReason(error: unknown): string | undefined {
  if (isWithoutFreeConnection(error)) return `no free connection (${noFreeConnectionState})`;
  const code = codeOf(error);
  return code === readOnlyState ? `read-only (${code})` : code || undefined;
}

/** SQLSTATE's classes of values that a column cannot hold, and of constraints that a row would break. */
const refusedStates = /^2[23]\w{3}$/;

/** Whether the database has understood a write and refuses it, so that another attempt cannot succeed. */
export function isFinalRefusal(error: unknown): boolean {
  return refusedStates.test(codeOf(error));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

type Retry = {
  /** No attempt begins later than this after the beginning of the outage. */
  timeoutMilliseconds: number;
  /** Returns when the outage began, on `clock`, if that is known: before the first attempt that failed. */
  since?: () => number | undefined;
  /** Once one of these aborts, there is no further attempt. */
  signals?: readonly AbortSignal[];
  /** Called once, with the first failure. */
  onAway?: (error: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  clock?: () => number;
};

/**
 * Repeats `work` until the database is available, and rejects with its last error once the outage has lasted too long. Any
 * other error rejects at once. `work` must be idempotent: its answer may have been lost.
 * @throws AppError UPSTREAM_OVERLOADED once one of `signals` has aborted: clients send such a turn again, to another instance
 */
export async function retryWhileAway<T>(work: () => Promise<T>, options: Retry): Promise<T> {
  const { timeoutMilliseconds, since = () => undefined, signals = [], onAway, clock = now } = options;
  let began: number | undefined;
  for (;;) {
    const attemptedAt = clock();
    try {
      return await work();
    } catch (error) {
      if (!isAway(error)) throw error;
      if (began === undefined) onAway?.(error);
      began = Math.min(began ?? attemptedAt, since() ?? attemptedAt);
      const left = began + timeoutMilliseconds - clock();
      if (left <= 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(retryDelayMilliseconds, left)));
      if (signals.some(({ aborted }) => aborted)) throw new AppError('UPSTREAM_OVERLOADED');
    }
  }
}

export type Outage = ReturnType<typeof createOutage>;

/** Whether the database is unavailable, and since when, for the whole process, as its statements show. */
export function createOutage({ logger, clock = now }: { logger: Logger; clock?: (() => number) | undefined }) {
  let since: number | undefined;
  let readOnly = false;
  let connectionsRefused = 0;

  return {
    /** How many statements have found no free connection at the server so far. */
    get connectionsRefused(): number {
      return connectionsRefused;
    },

    /** The same connections, with their answers and failures observed. A read cannot show that writes succeed again. */
    watch(client: Client, { writes }: { writes: boolean }): Client {
      return {
        async query<Row>(statement: string, parameters: unknown[]) {
          const askedAt = clock();
          try {
            const result = await client.query<Row>(statement, parameters);
            if (since !== undefined && (writes || !readOnly)) {
              logger.info({ seconds: Math.round((clock() - since) / 1000) }, 'database available again');
              since = undefined;
            }
            return result;
          } catch (error) {
            if (isAway(error)) {
              if (isWithoutFreeConnection(error)) connectionsRefused += 1;
              if (since === undefined) logger.warn({ err: error }, unavailableMessage(error));
              since ??= askedAt;
              readOnly = codeOf(error) === readOnlyState;
            }
            throw error;
          }
        },
      };
    },

    /** Repeats `work`, which must be idempotent, during the first ten seconds of an outage, until one of `signals` aborts. */
    retry<T>(work: () => Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
      return retryWhileAway(work, { timeoutMilliseconds, since: () => since, signals, clock });
    },
  };
}

function unavailableMessage(error: unknown): string {
  if (isWithoutFreeConnection(error)) return 'database has no free connection; turns wait up to 10 s';
  if (codeOf(error) === readOnlyState) return 'database is read-only; turns wait up to 10 s';
  return 'database unavailable; turns wait up to 10 s';
}

function now(): number {
  return performance.now();
}
