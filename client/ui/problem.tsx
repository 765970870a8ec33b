import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { isLimit, problemOf, problems, type Trouble } from '../chat/problem.ts';
import { Notice } from '../controls/notice.tsx';
import { RemedyButton } from './remedy-button.tsx';
import { RequestId } from './request-id.tsx';

type ProblemProps = {
  ending: Trouble;
  hasReply: boolean;
  onEdit: () => void;
  /** What asks the question again. */
  tryAgain: ReactNode;
};

/** Says why a turn did not end well and what to do next, with what does it, and with the request id to quote. */
export function Problem({ ending, hasReply, onEdit, tryAgain }: ProblemProps) {
  const say = useTranslations('problem');
  const name = problemOf(ending, hasReply);
  return (
    <Notice tone={ending.type === 'left' || isLimit(ending) ? 'calm' : 'error'}>
      <div>
        <p>{say(name)}</p>
        <p className="problem-next">{say(`${name}Next`)}</p>
      </div>
      <RequestId requestId={ending.requestId} />
      {problems[name].map((remedy) =>
        remedy === 'tryAgain' ? (
          <span key={remedy}>{tryAgain}</span>
        ) : (
          <RemedyButton key={remedy} remedy={remedy} onEdit={onEdit} />
        ),
      )}
    </Notice>
  );
}
