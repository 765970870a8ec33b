import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Block } from './nodes.ts';

/** What marks and notes of one reply know of each other. */
type Notes = {
  /** The labels of the notes that have been read. */
  labels: ReadonlySet<string>;
  /** The drawn note of each label; the first, where there are several. */
  places: Map<string, HTMLElement>;
  /** The mark that the reader came from, or the first one. */
  marks: Map<string, HTMLElement>;
};

const NotesOfReply = createContext<Notes>({ labels: new Set(), places: new Map(), marks: new Map() });

type InReplyProps = { blocks: readonly Block[]; children: ReactNode };

/** Lets the marks in a reply's `blocks` find their notes, and the notes their marks: by element, so that no id is needed. */
export function InReply({ blocks, children }: InReplyProps) {
  const [{ places, marks }] = useState(() => ({ places: new Map<string, HTMLElement>(), marks: new Map() }));
  const written = labelsIn(blocks).join('\n');
  const notes = useMemo(() => ({ labels: new Set(written.split('\n')), places, marks }), [written, places, marks]);
  return <NotesOfReply value={notes}>{children}</NotesOfReply>;
}

function labelsIn(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type === 'note') return [block.label, ...labelsIn(block.blocks)];
    if (block.type === 'quote') return labelsIn(block.blocks);
    return block.type === 'list' ? block.items.flatMap((item) => labelsIn(item.blocks)) : [];
  });
}

/** The mark of a footnote: a way to its note. Without a note, a number is a mark all the same, and any other label is text. */
export function NoteMark({ label }: { label: string }) {
  const say = useTranslations('footnotes');
  const { labels, places, marks } = useContext(NotesOfReply);
  if (!labels.has(label)) return /^\d+$/.test(label) ? <sup>{label}</sup> : `[^${label}]`;
  return (
    <sup>
      <button
        type="button"
        className="note-mark"
        aria-label={say('mark', { label })}
        ref={(element) => keepFirst(marks, label, element)}
        onClick={({ currentTarget }) => {
          marks.set(label, currentTarget);
          goTo(places.get(label));
        }}
      >
        {label}
      </button>
    </sup>
  );
}

type NoteViewProps = { label: string; direction: 'auto' | undefined; children: ReactNode };

/** What a footnote says, where it was written, with the way back to its mark. */
export function NoteView({ label, direction, children }: NoteViewProps) {
  const say = useTranslations('footnotes');
  const { places, marks } = useContext(NotesOfReply);
  return (
    <div
      className="note"
      role="note"
      aria-label={say('note', { label })}
      dir={direction}
      tabIndex={-1}
      ref={(element) => keepFirst(places, label, element)}
    >
      <button
        type="button"
        className="note-mark note-back"
        aria-label={say('back', { label })}
        title={say('back', { label })}
        onClick={() => goTo(marks.get(label))}
      >
        {label}
      </button>
      <div className="note-text">{children}</div>
    </div>
  );
}

function keepFirst(elements: Map<string, HTMLElement>, label: string, element: HTMLElement | null) {
  if (element === null) return;
  if (!elements.get(label)?.isConnected) elements.set(label, element);
  return () => {
    if (elements.get(label) === element) elements.delete(label);
  };
}

/** The focus goes there and the page with it; its address and its history stay. */
function goTo(element: HTMLElement | undefined): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'center' });
}
