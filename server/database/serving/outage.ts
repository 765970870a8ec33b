import type { Logger } from 'pino';
import { AppError } from '../../app-error.ts';
import { codeOf, sqlStateClasses, sqlStates } from '../../postgres/sql-states.ts';
import type { Client } from '../native-client.ts';

/** How long turns wait for the database, measured from the start of its outage. */
const timeoutMilliseconds = 10_000;

const retryDelayMilliseconds = 500;

/** A failure that is older than this says nothing about the current state of the database. */
const staleMilliseconds = 300_000;

/** A working server responds to each statement within this time, because it cancels a statement after ten seconds. */
const answerMilliseconds = 11_000;

/** With `readOnlySqlTransaction` the server is a standby or read-only. */
const { readOnlySqlTransaction, tooManyConnections } = sqlStates;

/** Node's codes for failed connections. `ENOENT` is a missing Unix socket. */
const connectionErrorCodes: ReadonlySet<string> = new Set([
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

/** The messages of errors without a code that `pg`, its pool and `postgres/connect.ts` throw. */
const unavailableMessages: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Query read timeout',
]);

/** Returns true if the database is unreachable, out of connections, unresponsive or read-only, so a retry can succeed. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code === readOnlySqlTransaction || code === tooManyConnections) return true;
  if (connectionErrorCodes.has(code) || sqlStateClasses.unavailable.test(code)) return true;
  return error instanceof Error && unavailableMessages.has(error.message);
}

/** Returns true if any of the servers that were tried has no free connection. */
export function isOutOfConnections(error: unknown): boolean {
  if (codeOf(error) === tooManyConnections) return true;
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors)
    ? error.errors.some(isOutOfConnections)
    : false;
}

export function unavailableReason(error: unknown): string | undefined {
  if (isOutOfConnections(error)) return `no free connection (${tooManyConnections})`;
  const code = codeOf(error);
  return code === readOnlySqlTransaction ? `read-only (${code})` : code || undefined;
}

/** Returns true if the database rejected the write itself, so a retry cannot succeed. */
export function isPermanentError(error: unknown): boolean {
  return sqlStateClasses.rejectedWrite.test(codeOf(error));
}

type RetryOptions = {
  /** No retry starts more than this long after the start of the outage. */
  timeoutMilliseconds: number;
  /** Returns the start of the current outage (by `performance.now`); undefined if none is known. */
  since?: () => number | undefined;
  signals?: readonly AbortSignal[];
  /** Called once, with the first failure. */
  onUnavailable?: (error: unknown) => void;
};

/**
 * Retries `work` until the database is available or the outage exceeds the timeout. Any other error rejects immediately.
 * `work` must be idempotent, because an attempt can succeed without its response arriving.
 * @throws AppError UPSTREAM_OVERLOADED if one of `signals` aborts, which makes clients retry the turn on another instance
 */
export async function retryWhileUnavailable<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { timeoutMilliseconds, since = () => undefined, signals = [], onUnavailable } = options;
  let startedAt: number | undefined;
  for (;;) {
    const attemptedAt = performance.now();
    try {
      return await work();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      if (startedAt === undefined) onUnavailable?.(error);
      startedAt = Math.min(startedAt ?? attemptedAt, since() ?? attemptedAt);
      const remaining = startedAt + timeoutMilliseconds - performance.now();
      if (remaining <= 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.min(retryDelayMilliseconds, remaining)));
      if (signals.some(({ aborted }) => aborted)) throw new AppError('UPSTREAM_OVERLOADED');
    }
  }
}

export type OutageDetector = ReturnType<typeof createOutageDetector>;

/**
 * Detects outages of the database from the results that it observes. Only live chat uses `retry`: it waits for
 * the database when it reads or renews the session and stores the question.
 */
export function createOutageDetector(logger: Logger) {
  let since: number | undefined;
  let lastUnavailableAt = -Infinity;
  let readOnly = false;
  let connectionsRefused = 0;
  let lastFailedWrite: { error: unknown; at: number } | undefined;
  let answeredAt = -Infinity;

  /** Observes the result of a statement or transaction. A successful read does not end an outage in which the database is read-only. */
  async function observe<T>(kind: 'read' | 'write', work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      const result = await work();
      answeredAt = performance.now();
      if (kind === 'write') lastFailedWrite = undefined;
      if (since !== undefined && (kind === 'write' || !readOnly)) {
        logger.info({ seconds: Math.round((performance.now() - since) / 1000) }, 'database available again');
        since = undefined;
      }
      return result;
    } catch (error) {
      if (isAnswer(error)) answeredAt = performance.now();
      if (kind === 'write' && sqlStateClasses.cannotWrite.test(codeOf(error))) {
        lastFailedWrite = { error, at: performance.now() };
      }
      if (isUnavailable(error)) {
        if (isOutOfConnections(error)) connectionsRefused += 1;
        // Without a statement in between, nothing would have ended an earlier outage.
        if (performance.now() - lastUnavailableAt > staleMilliseconds) since = undefined;
        lastUnavailableAt = performance.now();
        if (since === undefined) logger.warn({ err: error }, unavailableMessage(error));
        since ??= startedAt;
        readOnly = codeOf(error) === readOnlySqlTransaction;
      }
      throw error;
    }
  }

  return {
    /** The error of the last write if the server could not execute it, which a ping does not notice. */
    get writeFailure(): unknown {
      if (lastFailedWrite === undefined || performance.now() - lastFailedWrite.at > staleMilliseconds) return undefined;
      return lastFailedWrite.error;
    },

    /** Whether the server has recently completed, refused or canceled a statement. */
    get isAnswering(): boolean {
      return performance.now() - answeredAt <= answerMilliseconds;
    },

    get connectionsRefused(): number {
      return connectionsRefused;
    },

    observe,

    /** Wraps `client` to observe each of its statements as one of this kind. */
    watch(kind: 'read' | 'write', client: Client): Client {
      return { query: (statement, parameters) => observe(kind, () => client.query(statement, parameters)) };
    },

    retry<T>(work: () => Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
      return retryWhileUnavailable(work, { timeoutMilliseconds, since: () => since, signals });
    },
  };
}

/** Returns true for an error that the server sent, and false for one of the connection or the pool. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

function unavailableMessage(error: unknown): string {
  if (isOutOfConnections(error)) return 'database has no free connection; turns wait up to 10 s';
  if (codeOf(error) === readOnlySqlTransaction) return 'database is read-only; turns wait up to 10 s';
  return 'database unavailable; turns wait up to 10 s';
}
