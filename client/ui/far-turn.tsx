import { useTranslations } from 'use-intl/react';
import type { Turn } from '../chat/turn.ts';

/**
 * A turn that is too far from the window to be drawn whole. Its words are there all the same: to be found, selected and
 * read out.
 */
export function FarTurn({ turn: { question, reply } }: { turn: Turn }) {
  const say = useTranslations('conversation');
  return (
    <>
      <div className="asked">
        <article className="question" aria-label={say('you')} dir="auto">
          {question}
        </article>
      </div>
      {reply !== '' && (
        <article className="reply" aria-label={say('assistant')} dir="auto">
          <p className="plain" dir="auto">
            {reply}
          </p>
        </article>
      )}
    </>
  );
}
