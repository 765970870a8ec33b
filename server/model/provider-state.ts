import type { UpstreamCode } from '../../shared/errors.ts';
import type { AppError } from '../app-error.ts';

/** A reply that is older than this says nothing about the current state of the provider. */
const staleAfterMilliseconds = 300_000;

/** The provider is reported as down after this many consecutive failures, because a single turn can fail by itself. */
const failureThreshold = 3;

/** A working provider responds to a request within a few seconds, long before `MODEL_IDLE_TIMEOUT_MS`. */
const silentAfterMilliseconds = 20_000;

/** Whether a failure with this code shows that the provider does not work. Rejecting the content of a request does not. */
const countsAgainstProvider: Readonly<Record<string, boolean>> = {
  UPSTREAM_ERROR: true,
  UPSTREAM_AUTH: true,
  UPSTREAM_OVERLOADED: true,
  UPSTREAM_BAD_REQUEST: false,
} satisfies Record<UpstreamCode, boolean>;

export type ProviderState = ReturnType<typeof createProviderState>;

/** A request without any text yet. */
type WaitingRequest = { sentAt: number };

/**
 * Derives the state of the model provider from the replies of this process. No request is sent just to check the provider,
 * because requests cost money.
 */
export function createProviderState() {
  /** In the order in which they were sent. */
  const waiting = new Set<WaitingRequest>();
  let lastHeardAt = Number.NEGATIVE_INFINITY;
  /** Set if a request ended after a long silence; the provider is down until it sends something again, for at most five minutes. */
  let silentSince: number | undefined;
  let failuresInARow = 0;
  let lastFailure: string | undefined;
  let lastEndedAt: number | undefined;

  /** The start of a silence that is long enough to count, during which `request` has waited. */
  function silenceOf({ sentAt }: WaitingRequest, now: number): number | undefined {
    const since = Math.max(sentAt, lastHeardAt);
    return now - since >= silentAfterMilliseconds ? since : undefined;
  }

  function oldest(): WaitingRequest | undefined {
    const [first] = waiting;
    return first;
  }

  return {
    /** Call when a request is sent, and the returned functions as its reply arrives. */
    trackRequest() {
      const request = { sentAt: performance.now() };
      waiting.add(request);
      return {
        /** Call for everything that the provider sends, text or not. */
        heard(): void {
          lastHeardAt = performance.now();
          silentSince = undefined;
        },

        textReceived(): void {
          waiting.delete(request);
        },

        ended({ ending, error }: { ending: 'complete' | 'aborted' | 'failed'; error: AppError | null }): void {
          const now = performance.now();
          const waited = waiting.delete(request);
          if (waited) silentSince ??= silenceOf(request, now);
          // A client that disconnects soon says nothing about the provider.
          const isKnown = ending !== 'aborted' || !waited;
          if (isKnown || silentSince !== undefined) lastEndedAt = now;
          if (!isKnown) return;
          const failed = error !== null && countsAgainstProvider[error.code] === true;
          failuresInARow = failed ? failuresInARow + 1 : 0;
          lastFailure = failed ? error.code : undefined;
        },
      };
    },

    /** How long the oldest request has waited for its first text, or 0. */
    oldestWaitSeconds(): number {
      const request = oldest();
      return request === undefined ? 0 : (performance.now() - request.sentAt) / 1000;
    },

    /**
     * `down` after three consecutive failures, or once the provider has sent nothing for 20 s although requests waited, until it
     * sends something; `up` after a reply; otherwise `unknown`, including five minutes after the last request has ended.
     */
    read() {
      const now = performance.now();
      const request = oldest();
      const since = silentSince ?? (request && silenceOf(request, now));
      const isStale = lastEndedAt === undefined || now - lastEndedAt > staleAfterMilliseconds;
      const seconds = (time: number) => Math.round((now - time) / 1000);
      const ended = lastEndedAt !== undefined &&
        !isStale && {
          seenSecondsAgo: seconds(lastEndedAt),
          failuresInARow,
          ...(lastFailure !== undefined && { lastFailure }),
        };
      if (since !== undefined && (request !== undefined || !isStale)) {
        return { state: 'down', silentSeconds: seconds(since), ...ended } as const;
      }
      if (ended === false) return { state: 'unknown' } as const;
      if (failuresInARow === 0) return { state: 'up', ...ended } as const;
      return { state: failuresInARow >= failureThreshold ? 'down' : 'unknown', ...ended } as const;
    },
  };
}
