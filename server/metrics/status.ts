import type { RequestLine } from '../http/request-context.ts';

/** Whether a part answers: why not, as far as that is known, and by how much this process' clock is ahead of the part's. */
export type PartState = { state: 'up'; clockAheadSeconds: number } | { state: 'down'; reason?: string };
type Clock = () => number;

type PartCheck = {
  /** Gives by how many seconds this process' clock is ahead of the part's. Rejects if the part does not answer. */
  ping: () => Promise<number>;
  /** Names the cause of a failure for an operator. */
  reasonOf: (error: unknown) => string | undefined;
};

/** How long a part may take to answer. */
const defaultAnswerMilliseconds = 2_000;

/** Turns say nothing about what is now once none has asked the provider for so long. */
const memorySeconds = 300;

/** So many failures in a row are more than the accident of one turn. */
const enoughFailures = 3;

/** With these codes the provider was asked and gave no reply. */
const failures: ReadonlySet<string> = new Set(['UPSTREAM_ERROR', 'UPSTREAM_AUTH', 'UPSTREAM_OVERLOADED']);

type Options = {
  version: string;
  /** Of the client; undefined where it is not built. */
  build: string | undefined;
  instance: string;
  /** Whether the process is on its way out. */
  stopping: AbortSignal;
  /** One for each part that is configured. */
  checks: Record<string, PartCheck>;
  answerMilliseconds?: number;
  clock?: Clock;
};

export type Status = ReturnType<typeof createStatus>;

/** How this process and the parts that it needs are: for the operator and for alarms, not for balancers. */
export function createStatus({ version, build, instance, stopping, checks, ...options }: Options) {
  const { answerMilliseconds = defaultAnswerMilliseconds, clock = () => performance.now() } = options;
  const partChecks = Object.entries(checks).map(
    ([name, check]) => [name, createPartCheck(check, answerMilliseconds)] as const,
  );
  const provider = createProviderSightings(clock);
  const startedAt = new Date().toISOString();

  /** Of each part that can be asked, whether it answers. */
  async function parts(): Promise<Record<string, PartState>> {
    const states = partChecks.map(async ([name, state]) => [name, await state()] as const);
    return Object.fromEntries(await Promise.all(states));
  }

  return {
    parts,

    /** Takes note of a request that is over: turns tell how the provider is. */
    observe: provider.observe,

    /** The answer to `GET /status`; `up` where no part is away. */
    async read() {
      const states = await parts();
      const seen = provider.state();
      const up = seen.state !== 'down' && Object.values(states).every(({ state }) => state === 'up');
      return {
        up,
        body: {
          status: up ? 'up' : 'down',
          version,
          build: build ?? null,
          instance,
          startedAt,
          draining: stopping.aborted,
          parts: { ...states, provider: seen },
        },
      };
    },
  };
}

/**
 * Makes a function that tells whether a part answers. It never rejects. Calls at the same time share one check: while it has no
 * answer, no second one starts.
 */
function createPartCheck({ ping, reasonOf }: PartCheck, answerMilliseconds: number) {
  let underWay: Promise<PartState> | undefined;

  async function ask(): Promise<PartState> {
    const late = Promise.withResolvers<PartState>();
    const reason = `no answer within ${answerMilliseconds / 1000} s`;
    const timer = setTimeout(() => late.resolve({ state: 'down', reason }), answerMilliseconds).unref();
    const answer = ping().then(
      (clockAheadSeconds): PartState => ({ state: 'up', clockAheadSeconds }),
      (error): PartState => {
        const reason = reasonOf(error);
        return { state: 'down', ...(reason !== undefined && { reason }) };
      },
    );
    void answer.then(() => {
      clearTimeout(timer);
      underWay = undefined;
    });
    return Promise.race([answer, late.promise]);
  }

  return () => {
    underWay ??= ask();
    return underWay;
  };
}

/**
 * The state of the model provider by the last turns. The service never asks it only for this: that would cost money. It is
 * `up` after a turn that it answered, `down` after three in a row that it did not, and otherwise `unknown`, also when no
 * turn has asked it for five minutes.
 */
function createProviderSightings(clock: Clock) {
  let failuresInARow = 0;
  let lastFailure: string | undefined;
  let seenAt: number | undefined;

  return {
    observe({ ending, code = '', firstTextMs }: Pick<RequestLine, 'ending' | 'code' | 'firstTextMs'>): void {
      const failed = ending === 'failed' && failures.has(code);
      // One that it refused because of what was asked shows too that it is there.
      const answered =
        ending === 'complete' || ending === 'failed' || (ending === 'aborted' && firstTextMs !== undefined);
      if (!failed && !answered) return;
      failuresInARow = failed ? failuresInARow + 1 : 0;
      lastFailure = failed ? code : undefined;
      seenAt = clock();
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
