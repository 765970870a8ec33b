import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFormatter, useTranslations } from 'use-intl/react';
import type { Turn } from '../chat/turn.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';

type QuestionViewProps = {
  question: string;
  askedAt: Turn['askedAt'];
  isEdited: boolean;
  onEdit: () => void;
};

/** A question with its time and actions. A long question is folded to its first lines. */
export function QuestionView({ question, askedAt, isEdited, onEdit }: QuestionViewProps) {
  const t = useTranslations('versions');
  const tCopy = useTranslations('copying');
  const id = useId();
  const text = useRef<HTMLDivElement>(null);
  const { canFold, isFolded, setIsFolded } = useFold(text, mayBeLong(question));
  return (
    <>
      <div className="asked">
        <QuestionText id={id} question={question} isFolded={isFolded} textRef={text} />
        <div className="question-actions">
          {isEdited && <p className="aside question-edited">{t('editing')}</p>}
          {askedAt !== null && <AskedAt askedAt={askedAt} />}
          <CopyButton label={tCopy('question')} text={question} />
          <Button kind="action" title={t('edit')} aria-label={t('edit')} onClick={onEdit}>
            <Icon name="pencil" />
          </Button>
        </div>
      </div>
      {canFold && (
        <div className="question-fold">
          <Button
            kind="action"
            aria-expanded={!isFolded}
            aria-controls={id}
            onClick={() => {
              flushSync(() => setIsFolded(!isFolded));
              // Otherwise folding from “Show less” would scroll the question out of view.
              if (!isFolded) text.current?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
            }}
          >
            {t(isFolded ? 'showAll' : 'showLess')}
            <Icon name={isFolded ? 'down' : 'up'} />
          </Button>
        </div>
      )}
    </>
  );
}

type QuestionTextProps = {
  id?: string;
  question: string;
  isFolded?: boolean;
  textRef?: RefObject<HTMLDivElement | null>;
};

export function QuestionText({ id, question, isFolded = true, textRef }: QuestionTextProps) {
  const t = useTranslations('conversation');
  return (
    <article id={id} className="question" aria-label={t('you')} dir="auto">
      <div ref={textRef} className={isFolded ? 'question-text question-folded' : 'question-text'}>
        {question}
      </div>
    </article>
  );
}

/**
 * Estimates whether a question could be longer than a folded one in the narrowest column. Only such questions are measured, because
 * measuring all of them would delay every keystroke.
 */
function mayBeLong(question: string): boolean {
  return question.length > 120 || question.split('\n').length > 12;
}

/**
 * Folds `text` to the number of lines that the style sheet clamps it to, if `isMeasured`. `canFold` is whether it has more lines at its
 * current width.
 * A `beforematch` event, which the find bar dispatches, unfolds it.
 */
function useFold(text: RefObject<HTMLElement | null>, isMeasured: boolean) {
  const [isFolded, setIsFolded] = useState(true);
  const [canFold, setCanFold] = useState(false);

  useLayoutEffect(() => {
    const element = text.current;
    if (element === null || !isMeasured) return;
    // Unfolded text is not clamped and cannot be measured, so it keeps the last result.
    const measure = () => {
      if (isFolded) setCanFold(element.scrollHeight > element.clientHeight + 1);
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [text, isFolded, isMeasured]);

  useEffect(() => {
    const element = text.current;
    const unfold = () => setIsFolded(false);
    element?.addEventListener('beforematch', unfold);
    return () => element?.removeEventListener('beforematch', unfold);
  }, [text]);

  return { canFold, isFolded, setIsFolded };
}

function AskedAt({ askedAt }: { askedAt: number }) {
  const format = useFormatter();
  return (
    <time
      className="aside asked-at"
      dateTime={new Date(askedAt).toISOString()}
      title={format.dateTime(askedAt, { dateStyle: 'long', timeStyle: 'short' })}
    >
      {format.dateTime(askedAt, { timeStyle: 'short' })}
    </time>
  );
}
