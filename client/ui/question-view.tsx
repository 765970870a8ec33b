import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Turn } from '../chat/turn.ts';
import { Button } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { Icon } from '../controls/icon.tsx';
import type { TurnTranslations } from './turn-translations.ts';

type QuestionViewProps = {
  translations: TurnTranslations;
  question: string;
  askedAt: Turn['askedAt'];
  isEdited: boolean;
  onEdit: () => void;
};

/** A question with its time and actions. */
export function QuestionView(props: QuestionViewProps) {
  const { translations, question } = props;
  // Only long questions have the state and the observers of a fold, because a conversation can have hundreds of questions.
  if (mayBeLong(question)) return <LongQuestion {...props} />;
  return (
    <div className="asked">
      <QuestionText label={translations.t('you')} question={question} />
      <QuestionActions {...props} />
    </div>
  );
}

/** A question that is folded to its first lines if it has more. */
function LongQuestion(props: QuestionViewProps) {
  const { translations, question } = props;
  const { t, tVersions } = translations;
  const id = useId();
  const text = useRef<HTMLDivElement>(null);
  const { canFold, isFolded, setIsFolded } = useFold(text);
  return (
    <>
      <div className="asked">
        <QuestionText id={id} label={t('you')} question={question} isFolded={isFolded} textRef={text} />
        <QuestionActions {...props} />
      </div>
      {canFold && (
        <div className="question-fold">
          <Button
            kind="action"
            aria-expanded={!isFolded}
            aria-controls={id}
            onClick={() => {
              flushSync(() => setIsFolded(!isFolded));
              // Folding from “Show less” could otherwise leave the question out of view.
              if (!isFolded) text.current?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
            }}
          >
            {tVersions(isFolded ? 'showAll' : 'showLess')}
            <Icon name={isFolded ? 'down' : 'up'} />
          </Button>
        </div>
      )}
    </>
  );
}

function QuestionActions({ translations, question, askedAt, isEdited, onEdit }: QuestionViewProps) {
  const { tVersions, tCopy, format } = translations;
  return (
    <div className="question-actions">
      {isEdited && <p className="aside question-edited">{tVersions('editing')}</p>}
      {askedAt !== null && (
        <time
          className="aside asked-at"
          dateTime={new Date(askedAt).toISOString()}
          title={format.dateTime(askedAt, { dateStyle: 'long', timeStyle: 'short' })}
        >
          {format.dateTime(askedAt, { timeStyle: 'short' })}
        </time>
      )}
      <CopyButton label={tCopy('question')} text={question} />
      <Button kind="action" title={tVersions('edit')} aria-label={tVersions('edit')} onClick={onEdit}>
        <Icon name="pencil" />
      </Button>
    </div>
  );
}

type QuestionTextProps = {
  id?: string;
  label: string;
  question: string;
  isFolded?: boolean;
  textRef?: RefObject<HTMLDivElement | null>;
};

export function QuestionText({ id, label, question, isFolded = true, textRef }: QuestionTextProps) {
  return (
    <article id={id} className="question" aria-label={label} dir="auto">
      {mayBeLong(question) ? (
        <div ref={textRef} className={isFolded ? 'question-text question-folded' : 'question-text'}>
          {question}
        </div>
      ) : (
        question
      )}
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
 * Folds `text` to the number of lines that the style sheet clamps it to. `canFold` is whether it has more lines at its current
 * width. A `beforematch` event, which the find bar dispatches, unfolds it.
 */
function useFold(text: RefObject<HTMLElement | null>) {
  const [isFolded, setIsFolded] = useState(true);
  const [canFold, setCanFold] = useState(false);

  useLayoutEffect(() => {
    const element = text.current;
    if (element === null) return;
    // Unfolded text is not clamped and cannot be measured, so it keeps the last result.
    const measure = () => {
      if (isFolded) setCanFold(element.scrollHeight > element.clientHeight + 1);
    };
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [text, isFolded]);

  useEffect(() => {
    const element = text.current;
    if (element === null) return;
    const unfold = () => setIsFolded(false);
    element.addEventListener('beforematch', unfold);
    return () => element.removeEventListener('beforematch', unfold);
  }, [text]);

  return { canFold, isFolded, setIsFolded };
}
