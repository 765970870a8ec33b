import { AppError } from '../../../server/app-error.ts';
import type { Limiter } from '../../../server/limits/limiter.ts';

/** `'admitted'`, or the seconds after which a refused request may be sent again. */
export async function attempt(limiter: Limiter, key: string): Promise<'admitted' | number> {
  try {
    await limiter.take(key);
    return 'admitted';
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED' || error.retryAfterSeconds === undefined)
      throw error;
    return error.retryAfterSeconds;
  }
}

/** What became of `count` requests, one after another. */
export async function attempts(limiter: Limiter, key: string, count: number) {
  const outcomes = [];
  for (let sent = 0; sent < count; sent += 1) outcomes.push(await attempt(limiter, key));
  return outcomes;
}

/** How many of `count` requests are admitted that come at once, spread over `limiters`. */
export async function admittedAtOnce(limiters: readonly Limiter[], key: string, count: number): Promise<number> {
  const rounds = Array.from({ length: count / limiters.length });
  const outcomes = await Promise.all(rounds.flatMap(() => limiters.map((limiter) => attempt(limiter, key))));
  return outcomes.filter((outcome) => outcome === 'admitted').length;
}

export const admitted = (count: number) => Array.from({ length: count }, () => 'admitted');
