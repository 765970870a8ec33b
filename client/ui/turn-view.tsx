import { memo } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import type { Turn } from '../chat/turn.ts';
import type { TurnVersions } from '../chat/turn-versions.ts';
import { Button } from '../controls/button.tsx';
import { CopyReply } from '../documents/copy-reply.tsx';
import { QuestionView } from './question-view.tsx';
import { ReplyText } from './reply-text.tsx';
import { VersionChoice } from './version-choice.tsx';

export type TurnViewProps = {
  conversation: Pick<Conversation, 'edit' | 'showVersion'>;
  turn: Turn;
  /** Undefined where it is the only one in its place. */
  versions: TurnVersions | undefined;
  /** Whether another version can be shown now. The same for all turns that have none. */
  canShowVersion: boolean;
  /** Below the last turn stands more about how it ended, and what can be done about it. */
  isLast: boolean;
};

/** A question and its reply. Drawn anew only when its own turn changes, so a growing reply leaves the others alone. */
export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { conversation, turn, versions, canShowVersion, isLast } = props;
  const say = useTranslations('conversation');
  const { question, reply, ending } = turn;
  const isEmptyReply = reply === '' && ending?.type === 'done';
  const choice = { canChoose: canShowVersion, onChoose: conversation.showVersion };
  return (
    <>
      <QuestionView question={question} onEdit={() => conversation.edit(turn.id)} />
      {versions && (
        <div className="turn-versions">
          {versions.question.count > 1 && <VersionChoice of="question" place={versions.question} {...choice} />}
          {versions.reply.count > 1 && <VersionChoice of="reply" place={versions.reply} {...choice} />}
        </div>
      )}
      {(reply !== '' || isEmptyReply) && (
        <article key={turn.id} className="reply" aria-label={say('assistant')} dir="auto">
          {isEmptyReply ? (
            <p className="aside">{say('emptyReply')}</p>
          ) : (
            <ReplyText text={reply} isGrowing={ending === null} />
          )}
        </article>
      )}
      {isLast && ending !== null && ending.type !== 'done' && (
        <EarlierVersion turnId={versions?.reply.previousId ?? null} onShow={conversation.showVersion} />
      )}
      {!isLast && !isEmptyReply && (
        <div className="turn-actions turn-actions-earlier">
          {reply !== '' && <CopyReply reply={reply} />}
          {ending?.type !== 'done' && <p className="aside">{say(reply === '' ? 'notAnswered' : 'notComplete')}</p>}
        </div>
      )}
    </>
  );
});

type EarlierVersionProps = { turnId: string | null; onShow: (turnId: string) => void };

/** Says of a reply that did not come to its end that there was another one before it, and leads there. */
function EarlierVersion({ turnId, onShow }: EarlierVersionProps) {
  const say = useTranslations('versions');
  if (turnId === null) return null;
  return (
    <div className="earlier-version">
      <p className="aside">{say('earlierKept')}</p>
      <Button kind="action" onClick={() => onShow(turnId)}>
        {say('showEarlier')}
      </Button>
    </div>
  );
}
