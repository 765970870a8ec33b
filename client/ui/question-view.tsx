import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';

type QuestionViewProps = { question: string; onEdit: () => void };

/** A question, and beside it the way to ask it differently. */
export function QuestionView({ question, onEdit }: QuestionViewProps) {
  const say = useTranslations('versions');
  const sayWho = useTranslations('conversation');
  return (
    <div className="asked">
      <article className="question" aria-label={sayWho('you')} dir="auto">
        {question}
      </article>
      <div className="edit-question">
        <Button kind="action" title={say('edit')} aria-label={say('edit')} onClick={onEdit}>
          <Icon name="pencil" />
        </Button>
      </div>
    </div>
  );
}
