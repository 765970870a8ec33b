import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RequestLine } from '../http/requests/request-log.ts';
import type { PartState } from './part-check.ts';
import { createRequestMetrics } from './request-metrics.ts';
import { createTurnMetrics } from './turn-metrics.ts';

/** What is asked at each reading, and what is known from the start. */
export type Readings = {
  version: string;
  /** Of the client; undefined where it is not built. */
  build: string | undefined;
  /** With whom people can sign in. */
  providers: readonly string[];
  streams: () => number;
  maxStreams: number;
  /** Whether each route's limiter shares its counts with the other instances. */
  limitsShared: () => Record<string, boolean>;
  lateWrites: () => { late: number; oldestSeconds: number; retried: number; lost: number };
  /** Connections to the database: the most there may be, those in use and idle, and statements that wait for one. */
  databasePool: () => { size: number; inUse: number; idle: number; waiting: number };
  droppedLogLines: () => number;
  /** Whether each part that can be asked answers. */
  parts: () => Promise<Record<string, PartState>>;
  /** What is left of demo chat's budget; undefined where it has none. */
  demoTokensLeft?: (() => Promise<number>) | undefined;
};

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The process in Prometheus' terms. Every counter is there from the start, at 0 for each value of its labels that is known:
 * an alert on an increase would not see the first one otherwise. No label holds what comes from a person: an id, an
 * address, a text.
 */
export function createMetrics(readings: Readings) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const observeTurn = createTurnMetrics(registry);
  const observeRequest = createRequestMetrics(registry, readings.providers);

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

  /** A gauge with one value for each of a label's. */
  function gauges(
    name: string,
    help: string,
    label: string,
    read: () => Promise<Record<string, number>> | Record<string, number>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      async collect() {
        for (const [value, reading] of Object.entries(await read())) this.set({ [label]: value }, reading);
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

  const { version, build = '' } = readings;
  new Gauge({
    name: 'advisory_chat_build_info',
    help: 'Always 1; what runs here is in the labels.',
    labelNames: ['version', 'build'],
    registers,
  }).set({ version, build }, 1);
  gauges('advisory_chat_part_up', '1 while the part answers, 0 while it does not.', 'part', async () =>
    numbered(await readings.parts(), (state) => state === 'up'),
  );
  gauge('advisory_chat_streams', 'Turns under way.', readings.streams);
  gauge('advisory_chat_streams_limit', 'The most turns that may be under way.', () => readings.maxStreams);
  gauges(
    'advisory_chat_limits_shared',
    '1 while the rate limits are counted together with the other instances, 0 while this process counts alone.',
    'route',
    () => numbered(readings.limitsShared(), (shared) => shared),
  );
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
  counter(
    'advisory_chat_log_lines_dropped_total',
    'Lines of the log that could not be written.',
    readings.droppedLogLines,
  );
  gauge(
    'advisory_chat_database_pool_size',
    'The most connections to the database.',
    () => readings.databasePool().size,
  );
  gauges('advisory_chat_database_connections', 'Open connections to the database.', 'state', () => {
    const { inUse, idle } = readings.databasePool();
    return { in_use: inUse, idle };
  });
  gauge(
    'advisory_chat_database_waiting',
    'Statements that wait for a connection to the database.',
    () => readings.databasePool().waiting,
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

    /** Takes note of a request that is over. */
    observe(line: RequestLine): void {
      observeTurn(line);
      observeRequest(line);
    },
  };
}

function numbered<Value>(values: Record<string, Value>, holds: (value: Value) => boolean): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(holds(value))]));
}
