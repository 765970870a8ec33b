/**
 * `clockAheadSeconds` says how far this process's clock is ahead of the part's clock, and `sizeBytes` how much the part stores on
 * disk. Absent if the ping has not read them.
 */
type PartUp = { state: 'up'; clockAheadSeconds?: number; sizeBytes?: number };

/** `reason` is the cause of the failure, if known. */
export type PartState = PartUp | { state: 'down'; reason?: string };

type PartCheck = {
  /** Rejects if the part does not respond, or if its last operation failed. */
  ping: () => Promise<Omit<PartUp, 'state'>>;
  reasonOf: (error: unknown) => string | undefined;
};

const answerMilliseconds = 2_000;

type Options = {
  version: string;
  /** The build id; undefined if the client is not built. */
  build: string | undefined;
  instance: string;
  stopping: AbortSignal;
  checks: Record<string, PartCheck>;
  readProvider: () => { state: 'up' | 'down' | 'unknown' };
};

export type Status = ReturnType<typeof createStatus>;

/** Reports the state of this process and of its parts to operators and alerts. Load balancers use `/readyz`. */
export function createStatus({ version, build, instance, stopping, checks, readProvider }: Options) {
  const partChecks = Object.entries(checks).map(([name, check]) => [name, createPartCheck(check)] as const);
  const startedAt = new Date().toISOString();

  async function parts(): Promise<Record<string, PartState>> {
    const states = partChecks.map(async ([name, state]) => [name, await state()] as const);
    return Object.fromEntries(await Promise.all(states));
  }

  return {
    parts,

    async read() {
      const states = await parts();
      const provider = readProvider();
      const up = provider.state !== 'down' && Object.values(states).every(({ state }) => state === 'up');
      return {
        up,
        body: {
          status: up ? 'up' : 'down',
          version,
          build: build ?? null,
          instance,
          startedAt,
          draining: stopping.aborted,
          parts: { ...states, provider },
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
