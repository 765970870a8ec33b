import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import type { Below } from '../reading/reading.ts';

type JumpToLatestProps = { below: Below; onJump: () => void };

/** Leads to the end of the conversation, and says how much of it is new. Its number is no announcement: it changes often. */
export function JumpToLatest({ below: { isEndShown, newLines }, onJump }: JumpToLatestProps) {
  const say = useTranslations('reading');
  if (isEndShown) return null;
  return (
    <div className="jump-to-latest">
      <Button onClick={onJump}>{newLines === 0 ? say('jump') : say('jumpToNew', { lines: newLines })}</Button>
    </div>
  );
}
