import { createPartCheck, type PartCheckOptions, type PartState } from './part-check.ts';
import type { ProviderSightings } from './provider-sightings.ts';

type Options = {
  version: string;
  /** Of the client; undefined where it is not built. */
  build: string | undefined;
  instance: string;
  /** Whether the process is on its way out. */
  stopping: AbortSignal;
  /** Resolves where the part answers; a part that is not configured is not there. */
  checks: Record<string, () => Promise<unknown>>;
  provider: ProviderSightings;
  /** How each part is checked. */
  checking?: PartCheckOptions;
};

export type Status = ReturnType<typeof createStatus>;

/** How this process and the parts that it needs are: for the operator and for alarms, not for balancers. */
export function createStatus({ version, build, instance, stopping, checks, provider, checking }: Options) {
  const partChecks = Object.entries(checks).map(([name, check]) => [name, createPartCheck(check, checking)] as const);
  const startedAt = new Date().toISOString();

  /** Of each part that can be asked, whether it answers. */
  async function parts(): Promise<Record<string, PartState>> {
    const states = partChecks.map(async ([name, state]) => [name, await state()] as const);
    return Object.fromEntries(await Promise.all(states));
  }

  return {
    parts,

    /** The answer to `GET /status`; `up` where no part is away. */
    async read() {
      const states = Object.entries(await parts()).map(([name, state]) => [name, { state }] as const);
      const seen = provider.state();
      const up = seen.state !== 'down' && states.every(([, { state }]) => state === 'up');
      return {
        up,
        body: {
          status: up ? 'up' : 'down',
          version,
          build: build ?? null,
          instance,
          startedAt,
          draining: stopping.aborted,
          parts: { ...Object.fromEntries(states), provider: seen },
        },
      };
    },
  };
}
