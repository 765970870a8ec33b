import { isObject } from '../../shared/is-object.ts';

export type UnseenResult = 'finished' | 'failed';

/** `outcome` is the result of a turn mutation. Returns null if the turn was stopped or not sent. */
export function unseenResultOf(outcome: unknown): UnseenResult | null {
  if (!isObject(outcome) || outcome.type === 'stopped') return null;
  return outcome.type === 'done' ? 'finished' : 'failed';
}

type Background = { isHidden: boolean; isRunning: boolean; unseenResult: UnseenResult | null };

export function backgroundMark({ isHidden, isRunning, unseenResult }: Background): 'running' | UnseenResult | null {
  return isHidden ? (unseenResult ?? (isRunning ? 'running' : null)) : null;
}
