import type { ReactNode } from 'react';
import type { Ending } from '../chat/turn.ts';
import { Notice } from './notice.tsx';
import { RequestId } from './request-id.tsx';

type EndingNoticeProps = { ending: Ending; hasReply: boolean; children: ReactNode };

/** Says why a turn did not end well, with the request id to quote, and what can be done about it. */
export function EndingNotice({ ending, hasReply, children }: EndingNoticeProps) {
  if (ending.type === 'done') return null;
  if (ending.type === 'stopped') {
    return (
      <Notice tone="calm">
        <p>You stopped this {hasReply ? 'reply' : 'question'}.</p>
        {children}
      </Notice>
    );
  }
  return (
    <Notice tone={ending.type === 'left' ? 'calm' : 'error'}>
      <p>{sentence(ending, hasReply)}</p>
      <RequestId requestId={ending.requestId} />
      {children}
    </Notice>
  );
}

function sentence(ending: Ending & { requestId: string }, hasReply: boolean): string {
  if (ending.type === 'failed') return ending.sentence;
  if (ending.type === 'left') {
    return hasReply
      ? 'This reply was interrupted: the page was left before it was complete.'
      : 'This question was interrupted: the page was left before a reply began.';
  }
  return hasReply ? 'The connection was cut before the reply was complete.' : 'The service could not be reached.';
}
