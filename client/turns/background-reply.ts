import { isObject } from '../../shared/is-object.ts';

export type UnseenResult = 'finished' | 'failed';

/** `result` is the result of a turn mutation. Returns null if the turn was stopped or not sent. */
export function unseenResultOf(result: unknown): UnseenResult | null {
  if (!isObject(result) || result.type === 'stopped') return null;
  return result.type === 'done' && result.mayBeTruncated !== true ? 'finished' : 'failed';
}

type TabState = { isHidden: boolean; isRunning: boolean; unseenResult: UnseenResult | null };

export function backgroundMark({ isHidden, isRunning, unseenResult }: TabState): 'running' | UnseenResult | null {
  return isHidden ? (unseenResult ?? (isRunning ? 'running' : null)) : null;
}
