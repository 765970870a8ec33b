import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { fileName, saveBlob } from '../browser/save-file.ts';
import { IconButton } from '../controls/button.tsx';
import { CopyIconButton } from '../controls/copy-button.tsx';

type PictureActionsProps = { createPicture: () => Promise<Blob>; onEnlarge: () => void };

export function PictureActions({ createPicture, onEnlarge }: PictureActionsProps) {
  const t = useTranslations('pictures');
  const actions = useRef<HTMLSpanElement>(null);
  const [hasFailed, setHasFailed] = useState(false);

  // The clipboard is accessed during the click, as browsers require; only the picture can arrive later.
  const copy = () => navigator.clipboard.write([new ClipboardItem({ 'image/png': createPicture() })]);
  const save = async () => {
    try {
      saveBlob(fileName(titleAbove(actions.current), 'png'), await createPicture());
      setHasFailed(false);
    } catch {
      setHasFailed(true);
    }
  };

  return (
    <span ref={actions} className="actions">
      <IconButton icon="enlarge" label={t('enlarge')} onClick={onEnlarge} />
      {canCopyPictures() && <CopyIconButton label={t('copy')} failure={t('failed')} onCopy={copy} />}
      <IconButton icon="download" label={t('save')} onClick={save} />
      <span role="status" className="copy-failed">
        {hasFailed && t('failed')}
      </span>
    </span>
  );
}

/** Returns whether this browser can copy images. A page served over plain HTTP has no clipboard. */
function canCopyPictures(): boolean {
  if (typeof ClipboardItem !== 'function' || navigator.clipboard?.write === undefined) return false;
  return ClipboardItem.supports?.('image/png') ?? true;
}

/**
 * Returns the text of the last heading before `element` in its reply, or else the title of the conversation. Names a file with the
 * content of `element`.
 */
export function titleAbove(element: Element | null): string {
  const headings = element?.closest('.markdown')?.querySelectorAll('.heading') ?? [];
  const above = Array.from(headings).filter((heading) => precedes(heading, element));
  return (above.at(-1) ?? document.querySelector('.print-title'))?.textContent ?? '';
}

function precedes(one: Element, other: Element | null): boolean {
  return other !== null && (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
