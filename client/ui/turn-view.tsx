import { memo } from 'react';
import type { Turn } from '../chat/turn.ts';
import { CopyReply } from './copy-reply.tsx';
import { ReplyText } from './reply-text.tsx';

type TurnViewProps = {
  turn: Turn;
  /** Below the last turn stands more about how it ended, and what can be done about it. */
  isLast: boolean;
};

/** A question and its reply. Drawn anew only when its own turn changes, so a growing reply leaves the others alone. */
export const TurnView = memo(function TurnView({ turn, isLast }: TurnViewProps) {
  const { question, reply, ending } = turn;
  const isEmptyReply = reply === '' && ending?.type === 'done';
  return (
    <>
      <article className="question" aria-label="You" dir="auto">
        {question}
      </article>
      {(reply !== '' || isEmptyReply) && (
        <article className="reply" aria-label="Assistant" dir="auto">
          {isEmptyReply ? (
            <p className="aside">The reply was empty.</p>
          ) : (
            <ReplyText text={reply} isGrowing={ending === null} />
          )}
        </article>
      )}
      {!isLast && !isEmptyReply && (
        <div className="turn-actions turn-actions-earlier">
          {reply !== '' && <CopyReply reply={reply} />}
          {ending?.type !== 'done' && (
            <p className="aside">{reply === '' ? 'Not answered.' : 'This reply is not complete.'}</p>
          )}
        </div>
      )}
    </>
  );
});
