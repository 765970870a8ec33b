import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { budgetSentences, errorCodes } from '../../shared/errors.ts';
import { conversationPage, pages, routes } from '../../shared/interface.ts';
import { signInProblems } from '../../shared/session.ts';
import { capacityLimits } from '../app-error.ts';
import type { RequestLogEntry } from '../http/request-context.ts';
import type { PartState } from './status.ts';

export type Readings = {
  version: string;
  build: string | undefined;
  providers: readonly string[];
  stopping: () => boolean;
  streams: () => number;
  maxStreams: number;
  bodyBytes: () => number;
  /** Whether the limiters of live chat and of demo chat share their counts with other instances. */
  limitsShared: () => Record<string, boolean>;
  lateWrites: () => { late: number; oldestSeconds: number; retried: number; lost: number };
  databasePool: () => { size: number; inUse: number; idle: number; waiting: number };
  databaseConnectionsRefused: () => number;
  droppedLogLines: () => number;
  /** Probes the database and, if it is configured, Redis, and returns their states. */
  parts: () => Promise<Record<string, PartState>>;
  /** Whether the model provider works, as far as replies show. */
  providerUp: () => boolean;
  oldestWaitSeconds: () => number;
  /** The Unix time of the last success of the retention; undefined if conversations are kept forever. */
  retentionSucceededSeconds?: (() => number) | undefined;
  /** The remaining tokens of demo chat; undefined if demo chat has no budget. */
  demoTokensLeft?: (() => Promise<number>) | undefined;
};

type GaugeValue = number | Record<string, number | boolean>;

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates the metrics of the process. No label contains user input, ids or addresses. */
export function createMetrics(readings: Readings) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const observeTurn = createTurnMetrics(registry);
  const observeRequest = createRequestMetrics(registry, readings.providers);

  /** Reads one number, or one for each value of `label`. */
  function gauge(name: string, help: string, read: () => GaugeValue | Promise<GaugeValue>, label?: string): void {
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers,
      async collect() {
        const reading = await read();
        this.reset();
        if (typeof reading === 'number') return this.set(reading);
        for (const [value, number] of Object.entries(reading)) this.set({ [label ?? '']: value }, Number(number));
      },
    });
  }

  /** Registers a counter whose value another module keeps. */
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

  const {
    version,
    build = '',
    streams,
    maxStreams,
    limitsShared,
    droppedLogLines,
    demoTokensLeft,
    retentionSucceededSeconds,
  } = readings;
  const ofLateWrites = (name: keyof ReturnType<Readings['lateWrites']>) => () => readings.lateWrites()[name];
  const ofPool = (name: keyof ReturnType<Readings['databasePool']>) => () => readings.databasePool()[name];
  new Gauge({
    name: 'advisory_chat_build_info',
    help: 'Always 1. The labels contain the version and the build.',
    labelNames: ['version', 'build'],
    registers,
  }).set({ version, build }, 1);

  async function partsUp(): Promise<GaugeValue> {
    const states = Object.entries(await readings.parts());
    return {
      ...Object.fromEntries(states.map(([name, { state }]) => [name, state === 'up'])),
      provider: readings.providerUp(),
    };
  }
  const ofParts = (name: 'clockAheadSeconds' | 'sizeBytes') => async (): Promise<GaugeValue> => {
    const states = Object.entries(await readings.parts());
    return Object.fromEntries(
      states.flatMap(([part, state]) =>
        state.state === 'up' && state[name] !== undefined ? [[part, state[name]]] : [],
      ),
    );
  };
  gauge(
    'advisory_chat_part_up',
    '1 while the part works, else 0. The provider counts as working until replies show that it does not.',
    partsUp,
    'part',
  );
  gauge(
    'advisory_chat_clock_ahead_seconds',
    "By how much this process's clock is ahead of the part's clock, while the part responds.",
    ofParts('clockAheadSeconds'),
    'part',
  );
  const sizeHelp = 'The size of what the part stores on disk, while the part responds.';
  gauge('advisory_chat_part_size_bytes', sizeHelp, ofParts('sizeBytes'), 'part');
  gauge('advisory_chat_stopping', '1 while the process is shutting down, else 0.', () => Number(readings.stopping()));
  gauge('advisory_chat_streams', 'Turns in flight.', streams);
  const waitHelp = 'How long the oldest turn has waited for its first text since its request to the provider, or 0.';
  gauge('advisory_chat_first_text_wait_oldest_seconds', waitHelp, readings.oldestWaitSeconds);
  gauge('advisory_chat_streams_limit', 'The maximum number of turns in flight.', () => maxStreams);
  gauge('advisory_chat_body_bytes', 'The memory of the bodies that are being received.', readings.bodyBytes);
  gauge(
    'advisory_chat_limits_shared',
    '1 while the instances share the counts of rate limits, 0 while this process counts locally.',
    limitsShared,
    'route',
  );

  gauge('advisory_chat_late_writes', 'Writes of finished turns that are not stored yet.', ofLateWrites('late'));
  const oldestHelp = 'The age of the oldest write that is not stored yet.';
  gauge('advisory_chat_late_write_oldest_seconds', oldestHelp, ofLateWrites('oldestSeconds'));
  counter(
    'advisory_chat_late_write_retries_total',
    'Retries of the writes of finished turns.',
    ofLateWrites('retried'),
  );
  counter('advisory_chat_late_writes_lost_total', 'Writes of finished turns that are lost.', ofLateWrites('lost'));
  counter('advisory_chat_log_lines_dropped_total', 'Lines of the log that could not be written.', droppedLogLines);

  gauge('advisory_chat_database_pool_size', 'The maximum number of connections to the database.', ofPool('size'));
  function connections(): GaugeValue {
    const { inUse, idle } = readings.databasePool();
    return { in_use: inUse, idle };
  }
  gauge('advisory_chat_database_connections', 'Open connections to the database.', connections, 'state');
  gauge('advisory_chat_database_waiting', 'Statements that wait for a connection to the database.', ofPool('waiting'));

  counter(
    'advisory_chat_database_connections_refused_total',
    'Statements that found no free connection at the database server (SQLSTATE 53300).',
    readings.databaseConnectionsRefused,
  );

  if (retentionSucceededSeconds !== undefined) {
    const retentionHelp =
      'The Unix time at which old conversations were last deleted, or none were found; initially, the start of the process.';
    gauge('advisory_chat_retention_success_timestamp_seconds', retentionHelp, retentionSucceededSeconds);
  }
  if (demoTokensLeft !== undefined) {
    gauge('advisory_chat_demo_budget_left_tokens', 'The remaining budget of demo chat.', demoTokensLeft);
  }

  return {
    read: () => registry.metrics(),
    contentType: registry.contentType,

    observe(line: RequestLogEntry): void {
      observeTurn(line);
      observeRequest(line);
    },
  };
}

/** `series` lists every combination of label values that can occur. */
type LabelledMetric<Label extends string> = { name: string; help: string; series: readonly Record<Label, string>[] };

/** Each series starts at 0, because an alert on an increase would miss the first one otherwise. */
function createCounter<Label extends string>(registry: Registry, { name, help, series }: LabelledMetric<Label>) {
  const counter = new Counter<string>({ name, help, labelNames: labelNamesOf(series), registers: [registry] });
  for (const labels of series) counter.inc(labels, 0);
  return { inc: (labels: Record<Label, string>, by = 1) => counter.inc(labels, by) };
}

function createHistogram<Label extends string>(
  registry: Registry,
  { name, help, buckets, series }: LabelledMetric<Label> & { buckets: number[] },
) {
  const labelNames = labelNamesOf(series);
  const histogram = new Histogram<string>({ name, help, buckets, labelNames, registers: [registry] });
  for (const labels of series) histogram.zero(labels);
  return { observe: (labels: Record<Label, string>, value: number) => histogram.observe(labels, value) };
}

const labelNamesOf = (series: readonly object[]) => Object.keys(series[0] ?? {});

/** The paths of sign-in have parameters; see `signInPath`. */
type FixedPath = (typeof routes)[Exclude<keyof typeof routes, 'signIn'>];

const namesByPath = {
  [routes.liveChat]: 'live',
  [routes.demoChat]: 'demo',
  [routes.session]: 'session',
  [routes.signOut]: 'sign_out',
  [routes.signOutEverywhere]: 'sign_out_everywhere',
  [routes.join]: 'join',
  [routes.onboarding]: 'onboarding',
} as const satisfies Record<FixedPath, string>;
const routeNames: ReadonlyMap<string, string> = new Map(Object.entries(namesByPath));
const pagePaths: ReadonlySet<string> = new Set(Object.values(pages));
const otherRoutes = ['sign_in', 'sign_in_callback', 'page', 'asset', 'other'];
const statusClasses = ['2xx', '3xx', '4xx', '5xx'];

const signInPath = new RegExp(`^${routes.signIn}/([a-z]+)(/callback)?$`);
const acceptedSignIns = ['signed-in', 'signed-up'];

function createRequestMetrics(registry: Registry, providers: readonly string[]) {
  const routes = [...routeNames.values(), ...otherRoutes];
  const durations = createHistogram(registry, {
    name: 'advisory_chat_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its response, by route and class of the status.',
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300],
    series: routes.flatMap((route) => statusClasses.map((status) => ({ route, status }))),
  });
  const outcomes = [...acceptedSignIns, ...Object.keys(signInProblems)];
  const signIns = createCounter(registry, {
    name: 'advisory_chat_sign_ins_total',
    help: 'Callbacks of sign-in providers, by outcome.',
    series: providers.flatMap((provider) => outcomes.map((outcome) => ({ provider, outcome }))),
  });

  const capacityRefusals = createCounter(registry, {
    name: 'advisory_chat_capacity_refusals_total',
    help: 'Requests refused with 503 because a limit of this process was reached, by the limit.',
    series: Object.keys(capacityLimits).map((limit) => ({ limit })),
  });

  return ({ method, path, status, durationMs, signIn, capacity }: RequestLogEntry): void => {
    if (capacity !== undefined) capacityRefusals.inc({ limit: capacity });
    const [, provider, callback] = signInPath.exec(path) ?? [];
    const known = provider !== undefined && providers.includes(provider) ? { provider, callback } : undefined;
    const route = known === undefined ? routeLabel(method, path) : known.callback ? 'sign_in_callback' : 'sign_in';
    durations.observe({ route, status: `${Math.floor(status / 100)}xx` }, durationMs / 1000);
    if (known !== undefined && signIn !== undefined) signIns.inc({ provider: known.provider, outcome: signIn });
  };
}

function routeLabel(method: string, path: string): string {
  if (path.startsWith('/assets/')) return 'asset';
  if (method !== 'POST' && (pagePaths.has(path) || conversationPage.pattern.test(path))) return 'page';
  return routeNames.get(path) ?? 'other';
}

const turnRoutes: ReadonlyMap<string, 'live' | 'demo'> = new Map([
  [routes.liveChat, 'live'],
  [routes.demoChat, 'demo'],
]);

const tokenKinds = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheCreateTokens',
} as const satisfies Record<string, keyof RequestLogEntry>;

const codes = [...errorCodes, 'none'];

const codesByEnding = { complete: ['none'], aborted: codes, failed: codes, refused: codes };

/** Counts each turn once, when it has ended, so that deltas cost nothing. */
function createTurnMetrics(registry: Registry) {
  const routes = [...turnRoutes.values()];
  const byRoute = routes.map((route) => ({ route }));
  const endings = Object.entries(codesByEnding);
  const turns = createCounter(registry, {
    name: 'advisory_chat_turns_total',
    help: 'Finished turns, by ending and error code.',
    series: routes.flatMap((route) =>
      endings.flatMap(([ending, codes]) => codes.map((code) => ({ route, ending, code }))),
    ),
  });
  const durations = createHistogram(registry, {
    name: 'advisory_chat_turn_duration_seconds',
    help: 'From the arrival of a request to the end of its turn, for turns that were not refused.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
    series: routes.flatMap((route) => endings.flatMap(([ending]) => (ending === 'refused' ? [] : [{ route, ending }]))),
  });
  const firstText = createHistogram(registry, {
    name: 'advisory_chat_first_text_seconds',
    help: 'From the arrival of a request to the first text of its reply.',
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64],
    series: byRoute,
  });
  const tokens = createCounter(registry, {
    name: 'advisory_chat_tokens_total',
    help: 'Tokens as the provider reported them, by kind.',
    series: routes.flatMap((route) => Object.keys(tokenKinds).map((kind) => ({ route, kind }))),
  });
  const budgetRefusals = createCounter(registry, {
    name: 'advisory_chat_budget_refusals_total',
    help: 'Turns refused because a token budget was exhausted, by the owner of the budget.',
    series: Object.keys(budgetSentences).map((whose) => ({ whose })),
  });
  const modelRefusals = createCounter(registry, {
    name: 'advisory_chat_model_refusals_total',
    help: 'Replies that ended with the stop reason refusal, before any text or after some. They look complete to the client.',
    series: byRoute,
  });

  return ({ method, path, ...line }: RequestLogEntry): void => {
    const route = turnRoutes.get(path);
    if (method !== 'POST' || route === undefined) return;
    const ending = endingOf(line);
    turns.inc({ route, ending, code: line.code ?? 'none' });
    if (ending !== 'refused') durations.observe({ route, ending }, line.durationMs / 1000);
    for (const [kind, field] of Object.entries(tokenKinds)) tokens.inc({ route, kind }, line[field] ?? 0);
    if (line.budget !== undefined) budgetRefusals.inc({ whose: line.budget });
    if (line.stopReason === 'refusal') modelRefusals.inc({ route });
    if (line.firstTextMs !== undefined) firstText.observe({ route }, line.firstTextMs / 1000);
  };
}

/** A turn without an `ending` never reached the model: it was refused, failed in the service, or was aborted by its client. */
function endingOf({ ending, code, status }: Pick<RequestLogEntry, 'ending' | 'code' | 'status'>): string {
  if (ending !== undefined) return ending;
  if (code === 'INTERNAL') return 'failed';
  return status >= 400 ? 'refused' : 'aborted';
}
