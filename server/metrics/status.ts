import type { UpstreamCode } from '../../shared/errors.ts';
import type { RequestLogEntry } from '../http/request-context.ts';

/** `clockAheadSeconds` is by how much this process' clock is ahead of the part's, if the ping has read that. */
type PartUp = { state: 'up'; clockAheadSeconds?: number };

/** `reason` is the cause of the failure, if known. */
export type PartState = PartUp | { state: 'down'; reason?: string };

type PartCheck = {
  /** Rejects if the part does not respond, or if its last operation failed. */
  ping: () => Promise<Omit<PartUp, 'state'>>;
  reasonOf: (error: unknown) => string | undefined;
};

const answerMilliseconds = 2_000;

/** A turn that is older than this says nothing about the current state of the provider. */
const staleAfterSeconds = 300;

/** The provider is reported as down after this many consecutive failures, because a single turn can fail by itself. */
const failureThreshold = 3;

/** Whether a failure with this code shows that the provider does not work. Rejecting the content of a request does not. */
const countsAgainstProvider: Readonly<Record<string, boolean>> = {
  UPSTREAM_ERROR: true,
  UPSTREAM_AUTH: true,
  UPSTREAM_OVERLOADED: true,
  UPSTREAM_BAD_REQUEST: false,
} satisfies Record<UpstreamCode, boolean>;

type Options = {
  version: string;
  /** The build id; undefined if the client is not built. */
  build: string | undefined;
  instance: string;
  stopping: AbortSignal;
  checks: Record<string, PartCheck>;
};

export type Status = ReturnType<typeof createStatus>;

/** Reports the state of this process and of its parts to operators and alerts. Load balancers use `/readyz`. */
export function createStatus({ version, build, instance, stopping, checks }: Options) {
  const partChecks = Object.entries(checks).map(([name, check]) => [name, createPartCheck(check)] as const);
  const provider = createProviderState();
  const startedAt = new Date().toISOString();

  async function parts(): Promise<Record<string, PartState>> {
    const states = partChecks.map(async ([name, state]) => [name, await state()] as const);
    return Object.fromEntries(await Promise.all(states));
  }

  return {
    parts,

    /** Records a finished request, because turns reveal the state of the provider. */
    observe: provider.observe,

    async read() {
      const states = await parts();
      const providerState = provider.state();
      const up = providerState.state !== 'down' && Object.values(states).every(({ state }) => state === 'up');
      return {
        up,
        body: {
          status: up ? 'up' : 'down',
          version,
          build: build ?? null,
          instance,
          startedAt,
          draining: stopping.aborted,
          parts: { ...states, provider: providerState },
        },
      };
    },
  };
}

/** Never rejects. No second ping starts while one is pending, even after it has timed out. */
function createPartCheck({ ping, reasonOf }: PartCheck) {
  let pendingCheck: Promise<PartState> | undefined;

  async function runCheck(): Promise<PartState> {
    const timedOut = Promise.withResolvers<PartState>();
    const reason = `no response within ${answerMilliseconds / 1000} s`;
    const timer = setTimeout(() => timedOut.resolve({ state: 'down', reason }), answerMilliseconds).unref();
    const answer = ping().then(
      (clock): PartState => ({ state: 'up', ...clock }),
      (error): PartState => {
        const reason = reasonOf(error);
        return { state: 'down', ...(reason !== undefined && { reason }) };
      },
    );
    void answer.then(() => {
      clearTimeout(timer);
      pendingCheck = undefined;
    });
    return Promise.race([answer, timedOut.promise]);
  }

  return () => {
    pendingCheck ??= runCheck();
    return pendingCheck;
  };
}

/**
 * Derives the state of the model provider from the latest turns. No request is sent just to check the provider, because
 * requests cost money. The state is `up` after a turn with a response, `down` after three consecutive failures, and
 * otherwise `unknown`, including after five minutes without a turn.
 */
function createProviderState() {
  let failuresInARow = 0;
  let lastFailure: string | undefined;
  let lastSeenAt: number | undefined;

  return {
    observe({ ending, code = '', firstTextMs }: Pick<RequestLogEntry, 'ending' | 'code' | 'firstTextMs'>): void {
      const failed = ending === 'failed' && countsAgainstProvider[code] === true;
      const answered =
        ending === 'complete' || ending === 'failed' || (ending === 'aborted' && firstTextMs !== undefined);
      if (!failed && !answered) return;
      failuresInARow = failed ? failuresInARow + 1 : 0;
      lastFailure = failed ? code : undefined;
      lastSeenAt = performance.now();
    },

    state() {
      const seenSecondsAgo = lastSeenAt === undefined ? undefined : Math.round((performance.now() - lastSeenAt) / 1000);
      if (seenSecondsAgo === undefined || seenSecondsAgo > staleAfterSeconds) return { state: 'unknown' } as const;
      const seen = { seenSecondsAgo, failuresInARow, ...(lastFailure !== undefined && { lastFailure }) };
      if (failuresInARow === 0) return { state: 'up', ...seen } as const;
      return { state: failuresInARow >= failureThreshold ? 'down' : 'unknown', ...seen } as const;
    },
  };
}
