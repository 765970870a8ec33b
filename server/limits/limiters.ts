import type { Logger } from 'pino';
import { tooManyFormsSentence, tooManySignInsSentence } from '../../shared/errors.ts';
import type { RedisClient } from '../redis/client.ts';
import { createLimiter, type Limiter } from './limiter.ts';
import type { MonotonicClock } from './memory-window.ts';

/** What a refusal says in place of the error table's sentence, where a person may see it as a page. */
const sentences = {
  live: undefined,
  demo: undefined,
  signInStart: tooManySignInsSentence,
  signInCallback: tooManySignInsSentence,
  joining: tooManySignInsSentence,
  onboarding: tooManyFormsSentence,
  violations: undefined,
};

type LimitName = keyof typeof sentences;
export type Limits = Record<LimitName, { requests: number; windowSeconds: number }>;
export type Limiters = Record<LimitName, Limiter>;

/** The limiter of every limit that there is, each with counts of its own. */
export function createLimiters(
  limits: Limits,
  parts: { redis: RedisClient | undefined; clock: MonotonicClock; logger: Logger },
): Limiters {
  const limiterOf = (name: LimitName) => createLimiter({ name, ...limits[name], sentence: sentences[name], ...parts });
  return {
    live: limiterOf('live'),
    demo: limiterOf('demo'),
    signInStart: limiterOf('signInStart'),
    signInCallback: limiterOf('signInCallback'),
    joining: limiterOf('joining'),
    onboarding: limiterOf('onboarding'),
    violations: limiterOf('violations'),
  };
}
