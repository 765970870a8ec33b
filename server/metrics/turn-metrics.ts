import { Counter, Histogram, type Registry } from 'prom-client';
import { budgetSentences, type ErrorCode } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import type { RequestLine } from '../http/requests/request-log.ts';

const routeNames: ReadonlyMap<string, 'live' | 'demo'> = new Map([
  [routes.liveChat, 'live'],
  [routes.demoChat, 'demo'],
]);

/** The kinds of tokens, and where a request's line counts them. */
const tokenKinds = {
  input: 'inputTokens',
  output: 'outputTokens',
  cache_read: 'cacheReadTokens',
  cache_write: 'cacheCreateTokens',
} as const satisfies Record<string, keyof RequestLine>;

type Code = ErrorCode | 'none';

const failures: readonly Code[] = [
  'UPSTREAM_OVERLOADED',
  'UPSTREAM_AUTH',
  'UPSTREAM_BAD_REQUEST',
  'UPSTREAM_ERROR',
  'INTERNAL',
];
const refusals: readonly Code[] = ['none', 'INVALID_JSON', 'MISSING_MESSAGES', 'RATE_LIMITED', 'UPSTREAM_OVERLOADED'];

/** The codes that a turn may end with: each is counted from 0, so that an alert sees the first. */
const knownCodes: Record<'live' | 'demo', Record<string, readonly Code[]>> = {
  live: {
    complete: ['none'],
    aborted: ['none', 'UPSTREAM_OVERLOADED', 'UNAUTHENTICATED'],
    failed: failures,
    refused: [...refusals, 'LAST_MESSAGE_NOT_USER', 'UNAUTHENTICATED', 'NOT_ONBOARDED'],
  },
  demo: {
    complete: ['none'],
    aborted: ['none', 'UPSTREAM_OVERLOADED'],
    failed: failures,
    refused: [...refusals, 'UPSTREAM_BAD_REQUEST'],
  },
};

/** Turns are counted once each, when they are over: nothing is done for a delta. */
export function createTurnMetrics(registry: Registry) {
  const registers = [registry];
  const turns = new Counter({
    name: 'advisory_chat_turns_total',
    help: 'Turns that are over, by how they ended and the error code if there was one.',
    labelNames: ['route', 'ending', 'code'],
    registers,
  });
  const durations = new Histogram({
    name: 'advisory_chat_turn_duration_seconds',
    help: 'From the arrival of a request to the end of its turn, of turns that were not refused.',
    labelNames: ['route', 'ending'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512],
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
  const budgetRefusals = new Counter({
    name: 'advisory_chat_budget_refusals_total',
    help: 'Turns refused because a budget of tokens was used up, by whose it is.',
    labelNames: ['whose'],
    registers,
  });

  for (const [route, endings] of Object.entries(knownCodes)) {
    for (const [ending, codes] of Object.entries(endings)) {
      for (const code of codes) turns.inc({ route, ending, code }, 0);
      if (ending !== 'refused') durations.zero({ route, ending });
    }
    firstText.zero({ route });
    for (const kind of Object.keys(tokenKinds)) tokens.inc({ route, kind }, 0);
  }
  for (const whose of Object.keys(budgetSentences)) budgetRefusals.inc({ whose }, 0);

  /** Takes note of a request that is over, if it was a turn. */
  return ({ method, path, ...line }: RequestLine): void => {
    const route = routeNames.get(path);
    if (method !== 'POST' || route === undefined) return;
    const ending = endingOf(line);
    turns.inc({ route, ending, code: line.code ?? 'none' });
    if (ending !== 'refused') durations.observe({ route, ending }, line.durationMs / 1000);
    for (const [kind, field] of Object.entries(tokenKinds)) tokens.inc({ route, kind }, line[field] ?? 0);
    if (line.budget !== undefined) budgetRefusals.inc({ whose: line.budget });
    if (line.firstTextMs !== undefined) firstText.observe({ route }, line.firstTextMs / 1000);
  };
}

/** What never came to the model was refused, failed on our side, or was left by its client before. */
function endingOf({ ending, code, status }: Pick<RequestLine, 'ending' | 'code' | 'status'>): string {
  if (ending !== undefined) return ending;
  if (code === 'INTERNAL') return 'failed';
  return status >= 400 ? 'refused' : 'aborted';
}
