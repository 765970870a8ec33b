import { useTranslations } from 'use-intl/react';
import { isTrouble } from '../chat/problem.ts';
import type { Ending } from '../chat/turn.ts';
import { Button } from '../controls/button.tsx';
import type { Below } from '../reading/reading.ts';

type JumpToLatestProps = {
  below: Below;
  /** How the last turn ended, or the attempt at another version of it; null or undefined where neither has. */
  ending: Ending | null | undefined;
  onJump: () => void;
};

/**
 * Leads to the end of the conversation, and says how much of it is new, or that the reply has failed: the notice of that
 * is out of view. Its words are no announcement: the number changes often, and the notice is announced itself.
 */
export function JumpToLatest({ below: { isEndShown, newLines }, ending, onJump }: JumpToLatestProps) {
  const say = useTranslations('reading');
  if (isEndShown) return null;
  const hasFailed = Boolean(ending && isTrouble(ending));
  const words = () => {
    if (hasFailed) return say('jumpToProblem');
    return newLines === 0 ? say('jump') : say('jumpToNew', { lines: newLines });
  };
  return (
    <div className={hasFailed ? 'jump-to-latest jump-to-problem' : 'jump-to-latest'}>
      <Button onClick={onJump}>{words()}</Button>
    </div>
  );
}
