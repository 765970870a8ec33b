import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { budgetSentences } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import type { RequestLine } from '../http/request-log.ts';

/** What is asked at each reading. */
export type Readings = {
  streams: () => number;
  /** Whether each route's limiter shares its counts with the other instances. */
  limitsShared: () => Record<string, boolean>;
  lateWrites: () => { late: number; oldestSeconds: number; retried: number; lost: number };
  /** Statements that wait for one of the database's connections. */
  databaseWaiting: () => number;
  /** What is left of demo chat's budget; undefined where it has none. */
  demoTokensLeft?: (() => Promise<number>) | undefined;
};

/** The kinds of tokens, and where a request's line counts them. */
const tokenKinds = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheCreateTokens',
} as const satisfies Record<string, keyof RequestLine>;

const routeNames: Record<string, string> = { [routes.liveChat]: 'live', [routes.demoChat]: 'demo' };

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The process in Prometheus' terms. Turns are counted once each, when they are over: nothing is done for a delta.
 * No label holds what comes from a person: an id, an address, a text.
 */
export function createMetrics(readings: Readings) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const turns = new Counter({
    name: 'advisory_chat_turns_total',
    help: 'Turns that are over, by how they ended and the error code if there was one.',
    labelNames: ['route', 'ending', 'code'],
    registers,
  });
  const firstText = new Histogram({
    name: 'advisory_chat_first_text_seconds',
    help: 'From the arrival of a request to the first text of its reply.',
    labelNames: ['route'],
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
    registers,
  });

  const tokens = new Counter({
    name: 'advisory_chat_tokens_total',
    help: 'Tokens as the provider reported them, by kind.',
    labelNames: ['route', 'kind'],
    registers,
  });
  for (const route of Object.values(routeNames)) {
    for (const kind of Object.keys(tokenKinds)) tokens.inc({ route, kind }, 0);
  }
  const budgetRefusals = new Counter({
    name: 'advisory_chat_budget_refusals_total',
    help: 'Turns refused because a budget of tokens was used up, by whose it is.',
    labelNames: ['whose'],
    registers,
  });
  for (const whose of Object.keys(budgetSentences)) budgetRefusals.inc({ whose }, 0);

  function gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }

  /** A counter that is kept elsewhere. */
  function counter(name: string, help: string, read: () => number): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

  gauge('advisory_chat_streams', 'Turns under way.', readings.streams);
  new Gauge({
    name: 'advisory_chat_limits_shared',
    help: '1 while the rate limits are counted together with the other instances, 0 while this process counts alone.',
    labelNames: ['route'],
    registers,
    collect() {
      for (const [route, shared] of Object.entries(readings.limitsShared())) this.set({ route }, Number(shared));
    },
  });
  gauge('advisory_chat_late_writes', 'Answers that are not stored yet.', () => readings.lateWrites().late);
  gauge(
    'advisory_chat_late_write_oldest_seconds',
    'How long the oldest of them has waited.',
    () => readings.lateWrites().oldestSeconds,
  );
  counter(
    'advisory_chat_late_write_retries_total',
    'Attempts to store an answer after the first.',
    () => readings.lateWrites().retried,
  );
  counter(
    'advisory_chat_late_writes_lost_total',
    'Answers that will never be stored.',
    () => readings.lateWrites().lost,
  );
  gauge(
    'advisory_chat_database_waiting',
    'Statements that wait for a connection to the database.',
    readings.databaseWaiting,
  );
  const { demoTokensLeft } = readings;
  if (demoTokensLeft !== undefined) {
    new Gauge({
      name: 'advisory_chat_demo_budget_left_tokens',
      help: "What is left of demo chat's budget.",
      registers,
      async collect() {
        this.set(await demoTokensLeft());
      },
    });
  }

  return {
    /** All of it, in the text format. */
    read: () => registry.metrics(),
    contentType: registry.contentType,

    /** Takes note of a request that is over, if it was a turn. */
    observe({ method, path, ...line }: RequestLine): void {
      const route = routeNames[path];
      if (method !== 'POST' || route === undefined) return;
      turns.inc({ route, ending: endingOf(line), code: line.code ?? 'none' });
      for (const [kind, field] of Object.entries(tokenKinds)) tokens.inc({ route, kind }, line[field] ?? 0);
      if (line.budget !== undefined) budgetRefusals.inc({ whose: line.budget });
      if (line.firstTextMs !== undefined) firstText.observe({ route }, line.firstTextMs / 1000);
    },
  };
}

/** What never came to the model was refused, failed on our side, or was left by its client before. */
function endingOf({ ending, code, status }: Pick<RequestLine, 'ending' | 'code' | 'status'>): string {
  if (ending !== undefined) return ending;
  if (code === 'INTERNAL') return 'failed';
  return status >= 400 ? 'refused' : 'aborted';
}
