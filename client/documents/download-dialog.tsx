import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { fileName, saveFile } from '../browser/save-file.ts';
import { Button } from '../controls/button.tsx';
import { Modal } from '../controls/modal.tsx';
import type { ExportedConversations } from '../library/conversation-file.ts';
import { exportedMarkdown } from './conversation-document.ts';
import { useDayFormatter } from './use-conversation-document.ts';

type DownloadDialogProps = {
  title?: string;
  load: () => Promise<ExportedConversations>;
  onClose: () => void;
};

export function DownloadDialog({ title, load, onClose }: DownloadDialogProps) {
  const t = useTranslations('downloads');
  const labelOf = useTranslations('conversationDocument');
  const dayOf = useDayFormatter();
  const [hasFailed, setHasFailed] = useState(false);
  const heading = t(title === undefined ? 'all' : 'one');

  const save = async (form: 'markdown' | 'json') => {
    const exported = await load();
    if (form === 'json') return saveExported(exported, title);
    const text = exportedMarkdown(exported, { labelOf, dayOf });
    saveFile({ name: fileNameOf(exported, 'md', title), type: 'text/markdown', text });
  };
  return (
    <Modal label={heading} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <h2>{heading}</h2>
          {hasFailed && (
            <p className="field-error" role="alert">
              {t('failed')}
            </p>
          )}
          <ul className="modal-options">
            {(['markdown', 'json'] as const).map((form) => (
              <li key={form}>
                <Button onClick={() => save(form).then(close, () => setHasFailed(true))}>{t(form)}</Button>
                <p className="aside">{t(`${form}Means`)}</p>
              </li>
            ))}
          </ul>
          <div className="modal-choices">
            <Button onClick={close}>{t('cancel')}</Button>
          </div>
        </>
      )}
    </Modal>
  );
}

export function saveExported(exported: ExportedConversations, title?: string): void {
  const text = JSON.stringify(exported, null, 2);
  saveFile({ name: fileNameOf(exported, 'json', title), type: 'application/json', text });
}

function fileNameOf({ exportedAt }: ExportedConversations, extension: string, title?: string): string {
  if (title !== undefined) return fileName(title, extension);
  return `advisory-chat-${new Date(exportedAt).toISOString().slice(0, '2026-11-22'.length)}.${extension}`;
}
