import { AnswerError } from './reply-reader.ts';

/** The waits in seconds after each failure with a code. A code with none is not retried. */
const waitsSeconds = new Map([
  ['UPSTREAM_OVERLOADED', [1, 2, 4, 8]],
  ['UPSTREAM_ERROR', [1]],
]);
const codeByStatus = new Map([
  [429, 'RATE_LIMITED'],
  [502, 'UPSTREAM_ERROR'],
  [503, 'UPSTREAM_OVERLOADED'],
]);
const codes = new Set([
  ...['RATE_LIMITED', 'UPSTREAM_OVERLOADED', 'UPSTREAM_ERROR', 'UPSTREAM_AUTH', 'UPSTREAM_BAD_REQUEST', 'INTERNAL'],
  ...['INVALID_JSON', 'MISSING_MESSAGES', 'LAST_MESSAGE_NOT_USER', 'UNAUTHENTICATED', 'NOT_ONBOARDED'],
]);

export type Failure = { code: string | null; retryAfterSeconds?: number | null };

/** By the code of the body where the table has it, else by the status. */
export function failureOf({ code, status, retryAfterSeconds }: AnswerError): Failure {
  const known = code !== null && codes.has(code);
  return { code: known ? code : (codeByStatus.get(status) ?? null), retryAfterSeconds };
}

/** The wait in seconds after the failures of a turn, the latest last; null where it is not sent again by itself. */
export function nextWaitSeconds(failures: Failure[]): number | null {
  const latest = failures.at(-1);
  if (latest === undefined || latest.code === null || failures.length >= 5) return null;
  if (latest.code === 'RATE_LIMITED') {
    const { retryAfterSeconds } = latest;
    return retryAfterSeconds == null || retryAfterSeconds > 60 ? null : retryAfterSeconds;
  }
  const times = failures.filter(({ code }) => code === latest.code).length;
  return waitsSeconds.get(latest.code)?.[times - 1] ?? null;
}

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Sends a turn as often as the table says. `send` gets the conversation that the last failure named: the question is
 * stored there. Rejects as the last attempt did: with an AnswerError, or at once where the connection failed.
 */
export async function sendPatiently<Reply>(
  send: (conversationId: string | null) => Promise<Reply>,
  wait: (seconds: number) => Promise<void> = sleep,
): Promise<Reply> {
  const failures: Failure[] = [];
  let conversationId: string | null = null;
  for (;;) {
    try {
      return await send(conversationId);
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      conversationId = error.conversationId ?? conversationId;
      failures.push(failureOf(error));
      const seconds = nextWaitSeconds(failures);
      if (seconds === null) throw error;
      await wait(seconds);
    }
  }
}
