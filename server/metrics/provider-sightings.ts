import type { RequestLine } from '../http/requests/request-log.ts';

/** Turns that say nothing about what is now: none has asked the provider for so long. */
const memorySeconds = 300;

/** So many failures in a row are more than the accident of one turn. */
const enoughFailures = 3;

/** With these codes the provider was asked and gave no reply. */
const failures: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_AUTH', 'UPSTREAM_OVERLOADED']);

/**
 * The state of the model provider by the last turns. The service never asks it only for this: that would cost money. It is
 * `up` after a turn that it answered, `down` after three in a row that it did not, and otherwise `unknown`, also when no
 * turn has asked it for five minutes.
 */
export function createProviderSightings(clock: () => number = () => performance.now()) {
  let failuresInARow = 0;
  let lastFailure: string | undefined;
  let seenAt: number | undefined;

  return {
    /** Takes note of a request that is over, if it was a turn that asked the provider. */
    observe({ ending, code = '', firstTextMs }: Pick<RequestLine, 'ending' | 'code' | 'firstTextMs'>): void {
      if (ending === 'failed' && failures.has(code)) {
        failuresInARow += 1;
        lastFailure = code;
        seenAt = clock();
      } else if (ending === 'complete' || ending === 'failed' || (ending === 'aborted' && firstTextMs !== undefined)) {
        // Also one that it refused because of what was asked: it was there to refuse it.
        failuresInARow = 0;
        lastFailure = undefined;
        seenAt = clock();
      }
    },

    state() {
      const seenSecondsAgo = seenAt === undefined ? undefined : Math.round((clock() - seenAt) / 1000);
      if (seenSecondsAgo === undefined || seenSecondsAgo > memorySeconds) return { state: 'unknown' } as const;
      const seen = { seenSecondsAgo, failuresInARow, ...(lastFailure !== undefined && { lastFailure }) };
      if (failuresInARow === 0) return { state: 'up', ...seen } as const;
      return { state: failuresInARow >= enoughFailures ? 'down' : 'unknown', ...seen } as const;
    },
  };
}

export type ProviderSightings = ReturnType<typeof createProviderSightings>;
