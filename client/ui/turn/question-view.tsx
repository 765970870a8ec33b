import { type ReactNode, useCallback, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Turn } from '../../chat/turn.ts';
import { IconButton } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { type TurnTranslations, timeOf } from './turn-translations.ts';

type QuestionViewProps = {
  translations: TurnTranslations;
  question: string;
  askedAt: Turn['askedAt'];
  isEdited: boolean;
  onEdit: () => void;
  /** The choice between the versions of the question, at the end of the actions. */
  children: ReactNode;
};

export function QuestionView(props: QuestionViewProps) {
  const { translations, question } = props;
  if (foldedStart(question) !== question) return <LongQuestion {...props} />;
  return (
    <div className="asked">
      <QuestionText label={translations.t('you')} question={question} />
      <QuestionActions {...props} />
    </div>
  );
}

function LongQuestion(props: QuestionViewProps) {
  const { translations, question } = props;
  const { t, tVersions } = translations;
  const id = useId();
  const asked = useRef<HTMLDivElement>(null);
  const [isFolded, setIsFolded] = useState(true);
  const unfold = useCallback(() => setIsFolded(false), []);
  return (
    <>
      <div ref={asked} className="asked">
        <QuestionText id={id} label={t('you')} question={question} isFolded={isFolded} onFound={unfold} />
        <QuestionActions {...props} />
      </div>
      <div className="question-fold">
        <IconButton
          icon={isFolded ? 'down' : 'up'}
          label={tVersions(isFolded ? 'showAll' : 'showLess')}
          isLabelVisible
          aria-expanded={!isFolded}
          aria-controls={id}
          onClick={() => {
            flushSync(() => setIsFolded(!isFolded));
            // Folding from “Show less” could otherwise leave the question out of view.
            if (!isFolded) asked.current?.scrollIntoView({ block: 'nearest', behavior: 'instant' });
          }}
        />
      </div>
    </>
  );
}

function QuestionActions({ translations, question, askedAt, isEdited, onEdit, children }: QuestionViewProps) {
  const { tVersions, tCopy, format } = translations;
  return (
    <div className="actions question-actions">
      {isEdited && <p className="aside question-edited">{tVersions('editing')}</p>}
      {askedAt !== null && (
        <time
          className="aside asked-at"
          dateTime={new Date(askedAt).toISOString()}
          title={format.dateTime(askedAt, { dateStyle: 'long', timeStyle: 'short' })}
        >
          {timeOf(format, askedAt)}
        </time>
      )}
      <CopyButton label={tCopy('question')} text={question} />
      <IconButton icon="pencil" label={tVersions('edit')} onClick={onEdit} />
      {children}
    </div>
  );
}

type QuestionTextProps = {
  id?: string;
  label: string;
  question: string;
  isFolded?: boolean;
  /** Called when the browser's search finds words that the fold hides. */
  onFound?: () => void;
};

export function QuestionText({ id, label, question, isFolded = true, onFound }: QuestionTextProps) {
  const start = foldedStart(question);
  return (
    <article id={id} className="question" aria-label={label} dir="auto">
      {start === question ? (
        question
      ) : (
        <>
          <span className="question-start">{start}</span>
          <QuestionRest text={question.slice(start.length)} isFolded={isFolded} onFound={onFound} />
        </>
      )}
    </article>
  );
}

type QuestionRestProps = { text: string; isFolded: boolean; onFound: QuestionTextProps['onFound'] };

function QuestionRest({ text, isFolded, onFound }: QuestionRestProps) {
  const rest = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    // The browser's search finds text that is hidden like this. React knows only `true` and `false`.
    if (isFolded) rest.current?.setAttribute('hidden', 'until-found');
    else rest.current?.removeAttribute('hidden');
  }, [isFolded]);

  useEffect(() => {
    const { current } = rest;
    if (current === null || onFound === undefined) return;
    current.addEventListener('beforematch', onFound);
    return () => current.removeEventListener('beforematch', onFound);
  }, [onFound]);

  return (
    <div ref={rest} className="question-rest">
      {text}
    </div>
  );
}

const maxFoldedLines = 12;

/** About twelve lines in a wide window. */
const maxFoldedCharacters = 800;

/** Returns the part of a question that is shown while it is folded: all of it, or the start of a long one. */
function foldedStart(question: string): string {
  const start = question.split('\n', maxFoldedLines).join('\n').slice(0, maxFoldedCharacters);
  if (start.length < maxFoldedCharacters) return start;
  // Cuts between words if there are spaces, and not within a surrogate pair.
  return start.replace(/(?<=\s)\S{1,30}$/, '').replace(/[\ud800-\udbff]$/, '');
}
