import { memo, type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { Conversation } from '../../chat/conversation-interface.ts';
import type { TurnVersions } from '../../chat/conversation-tree.ts';
import { hasReply, type Turn } from '../../chat/turn.ts';
import { IconButton } from '../../controls/button.tsx';
import { CopyReplyButton } from '../../documents/copy-reply.tsx';
import { currentMarkdown, subscribeToMarkdown } from '../../markdown/load-markdown.ts';
import type { Markdown } from '../../markdown/markdown.tsx';
import type { DeferredRendering } from '../../rendering/deferred-rendering.ts';
import { estimatedHeight, sliceCharacters, sliceEnd, textWeight } from '../../rendering/text-size.ts';
import { whenIdle } from '../../rendering/when-idle.ts';
import type { LaterTurns } from '../../turns/later-turns.ts';
import { reasonOf } from '../../turns/problem.ts';
import type { TurnActions } from '../../turns/use-turn.ts';
import { QuestionText, QuestionView } from './question-view.tsx';
import { newDay, type TurnTranslations } from './turn-translations.ts';
import { VersionChoice } from './version-choice.tsx';

type TurnViewProps = {
  conversation: Conversation;
  turn: Turn;
  translations: TurnTranslations;
  onRegenerate: TurnActions['regenerate'];
  /** Whether the service accepts no further turn at the moment. */
  isBlocked: boolean;
  isEdited: boolean;
  /** Undefined if the turn is its only version. */
  versions: TurnVersions | undefined;
  /** Whether another version can be shown now. False for turns without versions, so that they do not render again. */
  canShowVersion: boolean;
  /** Where another version of this turn has later turns. Null unless this turn is the last one. */
  laterTurns: LaterTurns | null;
  isLast: boolean;
};

/** A question and its reply with all continuations. Memoized, so that a streaming reply renders only its own turn. */
const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { conversation, turn, translations, isEdited, versions, canShowVersion, laterTurns } = props;
  const { t, tVersions } = translations;
  const { question, reply, ending } = turn;
  const hasText = hasReply(turn);
  const isEmptyReply = !hasText && ending?.type === 'done';
  const isIncomplete = ending !== null && ending.type !== 'done';
  return (
    <>
      {!turn.isContinuation && (
        <QuestionView
          translations={translations}
          question={question}
          askedAt={turn.askedAt}
          isEdited={isEdited}
          onEdit={() => conversation.edit(turn.id)}
        >
          {versions && versions.question.count > 1 && (
            <VersionChoice
              kind="question"
              position={versions.question}
              canChoose={canShowVersion}
              onChoose={conversation.showVersion}
            />
          )}
        </QuestionView>
      )}
      {turn.isImported && <p className="aside">{t('imported')}</p>}
      {laterTurns && (
        <div className="version-link">
          <p className="aside">{tVersions('laterTurns', { count: laterTurns.count, number: laterTurns.version })}</p>
          <IconButton
            icon="next"
            label={tVersions('showLater')}
            isLabelVisible
            disabled={!canShowVersion}
            onClick={() => conversation.showVersion(laterTurns.turnId)}
          />
        </div>
      )}
      {(hasText || isEmptyReply) && (
        <article key={turn.id} className="reply" aria-label={t('assistant')} dir="auto">
          {isEmptyReply ? (
            <p className="aside">{t('emptyReply')}</p>
          ) : (
            <ReplyText text={reply} isGrowing={ending === null} isCut={isIncomplete} />
          )}
        </article>
      )}
    </>
  );
});

type ReplyActionsProps = Omit<TurnViewProps, 'isEdited' | 'laterTurns'> & { lastActions: ReactNode };

/** The versions of a reply and its actions. `lastActions` replace those of the last turn, which depend on how it ended. */
function ReplyActions(props: ReplyActionsProps) {
  const { conversation, turn, translations, onRegenerate, isBlocked, versions, canShowVersion, isLast, lastActions } =
    props;
  const { tCommand, tCopy, tProblem } = translations;
  const { reply, ending } = turn;
  const hasText = hasReply(turn);
  const reason = reasonOf(ending, hasText);
  if (isLast && lastActions === null) return null;
  return (
    <div className={isLast ? 'actions turn-actions' : 'actions turn-actions turn-actions-earlier'}>
      {versions && versions.reply.count > 1 && (
        <VersionChoice
          kind="reply"
          position={versions.reply}
          canChoose={canShowVersion}
          onChoose={conversation.showVersion}
        />
      )}
      {isLast ? (
        lastActions
      ) : (
        <>
          {hasText && <CopyReplyButton label={tCopy('reply')} reply={reply} />}
          {/* The style sheet hides it while a turn runs or a question is edited. */}
          <IconButton
            icon="again"
            label={tCommand('tryAgain')}
            disabled={isBlocked}
            onClick={() => onRegenerate(turn.id)}
          />
          {reason && <p className="aside">{tProblem(reason)}</p>}
        </>
      )}
    </div>
  );
}

type TurnFrameProps = TurnViewProps & {
  /** Null for the first turn, or if it is unknown. */
  previousAskedAt: number | null;
  /** Whether to render the turn at once, because it is at the end of the conversation or at the scroll target. */
  isNear: boolean;
  rendering: DeferredRendering;
  lastActions: ReactNode;
  children?: ReactNode;
};

/**
 * The element of a turn. It renders Markdown once it is near the viewport or the browser is idle, and the browser skips its layout
 * outside the viewport.
 */
export const TurnFrame = memo(function TurnFrame(props: TurnFrameProps) {
  const { previousAskedAt, isNear, rendering, lastActions, children, ...turnProps } = props;
  const { turn, isEdited, translations } = turnProps;
  const box = useRef<HTMLDivElement>(null);
  const [isRendered, setIsRendered] = useState(isNear);
  const characters = isRendered ? 0 : turn.question.length + textWeight(turn.reply);
  const [height] = useState(() => estimatedHeight(turn.question) + estimatedHeight(turn.reply));

  // A rendered turn stays rendered when newer turns follow.
  if (isNear && !isRendered) setIsRendered(true);

  useEffect(() => {
    if (isRendered || box.current === null) return;
    return rendering.add(box.current, characters, () => setIsRendered(true));
  }, [isRendered, characters, rendering]);

  return (
    <div
      ref={box}
      className={isEdited ? 'turn turn-edited' : 'turn'}
      data-turn={turn.id}
      data-day={turn.isContinuation ? undefined : newDay(translations.format, turn.askedAt, previousAskedAt)}
      style={{ containIntrinsicBlockSize: `auto ${height}px` }}
    >
      {isRendered ? <TurnView {...turnProps} /> : <PlainTurn turn={turn} t={translations.t} />}
      {isRendered && <ReplyActions {...turnProps} lastActions={lastActions} />}
      {children}
    </div>
  );
});

/** Renders a turn far from the viewport as plain text, so that it can be found, selected and read by screen readers. */
function PlainTurn({ turn, t }: { turn: Turn; t: TurnTranslations['t'] }) {
  const { question, reply, isContinuation } = turn;
  return (
    <>
      {!isContinuation && (
        <div className="asked">
          <QuestionText label={t('you')} question={question} />
        </div>
      )}
      {hasReply(turn) && (
        <article className="reply" aria-label={t('assistant')} dir="auto">
          <p className="plain" data-start={0} dir="auto">
            {reply}
          </p>
        </article>
      )}
    </>
  );
}

type ReplyTextProps = { text: string; isGrowing: boolean; isCut: boolean };

/** Renders a reply as Markdown, or as plain text if the Markdown renderer cannot be loaded or takes too long. */
function ReplyText({ text, isGrowing, isCut }: ReplyTextProps) {
  const throttled = useOncePerFrame(text, !isGrowing);
  const Markdown = useSyncExternalStore(subscribeToMarkdown, currentMarkdown);
  if (Markdown === undefined) return null;
  if (Markdown === 'missing') return <PlainText text={throttled} start={0} />;
  return <TextInSlices text={throttled} isGrowing={isGrowing} isCut={isCut} Markdown={Markdown} />;
}

type TextInSlicesProps = ReplyTextProps & { Markdown: typeof Markdown };

/** Renders a long text in steps, so that no single render blocks the page. The rest is plain text until then. */
function TextInSlices({ text, isGrowing, isCut, Markdown }: TextInSlicesProps) {
  const end = useRenderedLength(text);
  const isComplete = end === text.length;
  return (
    <>
      <div className="markdown">
        <Markdown text={text.slice(0, end)} isGrowing={isGrowing || !isComplete} isCut={isCut} />
      </div>
      {!isGrowing &&
        sliceStarts(end, text.length).map((start) => (
          <PlainText key={start} text={text.slice(start, start + sliceCharacters)} start={start} />
        ))}
    </>
  );
}

/** Returns the offsets of the plain-text slices. Except in WebKit, the browser lays out only those near the viewport. */
function sliceStarts(start: number, end: number): number[] {
  return Array.from(
    { length: Math.ceil((end - start) / sliceCharacters) },
    (_, index) => start + index * sliceCharacters,
  );
}

/** `start` is the offset of `text` in the reply. */
const PlainText = memo(function PlainText({ text, start }: { text: string; start: number }) {
  return (
    <p
      className="plain"
      data-start={start}
      dir="auto"
      style={{ containIntrinsicBlockSize: `auto ${estimatedHeight(text)}px` }}
    >
      {text}
    </p>
  );
});

/**
 * Updates the value once per frame; returns the value itself once `isFinal`, because a hidden page has no frames. Never returns an
 * older value than before: a continuation makes a final text grow again.
 */
function useOncePerFrame(value: string, isFinal: boolean): string {
  const [latest, setLatest] = useState(value);
  if (isFinal && latest !== value) setLatest(value);

  useEffect(() => {
    if (isFinal) return;
    const frame = requestAnimationFrame(() => setLatest(value));
    return () => cancelAnimationFrame(frame);
  }, [value, isFinal]);

  return isFinal ? value : latest;
}

/** Returns how many characters of `text` to render now. A long text is rendered in slices, one at each idle moment. */
function useRenderedLength(text: string): number {
  const [renderedEnd, setRenderedEnd] = useState(() => sliceEnd(text, 0));
  const next = sliceEnd(text, renderedEnd);
  const isNearlyDone = next >= text.length;
  const end = isNearlyDone ? text.length : renderedEnd;
  if (isNearlyDone && text.length > renderedEnd) setRenderedEnd(text.length);

  useEffect(() => {
    if (isNearlyDone) return;
    return whenIdle(() => setRenderedEnd(next));
  }, [isNearlyDone, next]);

  return end;
}
