import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { saveFile } from '../controls/save-file.ts';
import type { ExportedConversations } from '../conversations/conversation-file.ts';
import type { ConversationList } from '../conversations/conversation-list.ts';
import { exportedMarkdown } from './conversation-document.ts';
import { useDayFormatter, useDocumentLabels } from './use-conversation-document.ts';

/** Downloads all conversations, as JSON for import or as Markdown to read. */
export function useDownloadAll(list: ConversationList) {
  const labels = useDocumentLabels();
  const dayOf = useDayFormatter();
  const [hasFailed, setHasFailed] = useState(false);

  const download = async (kind: 'json' | 'markdown') => {
    try {
      const exported = await list.exportAll();
      if (kind === 'json') saveExported(exported);
      else {
        const text = exportedMarkdown(exported, { labels, dayOf });
        saveFile({ name: `${nameOf(exported)}.md`, type: 'text/markdown', text });
      }
      setHasFailed(false);
    } catch {
      setHasFailed(true);
    }
  };
  return { download, hasFailed };
}

/** The buttons that download all conversations. */
export function DownloadAll({ list }: { list: ConversationList }) {
  const t = useTranslations('deviceData');
  const { download, hasFailed } = useDownloadAll(list);
  return (
    <div className="downloads">
      <Button onClick={() => download('json')}>{t('downloadJson')}</Button>
      <Button onClick={() => download('markdown')}>{t('downloadMarkdown')}</Button>
      {hasFailed && (
        <p className="field-error" role="alert">
          {t('downloadFailed')}
        </p>
      )}
    </div>
  );
}

export function saveExported(exported: ExportedConversations, name = `${nameOf(exported)}.json`): void {
  saveFile({ name, type: 'application/json', text: JSON.stringify(exported, null, 2) });
}

function nameOf({ exportedAt }: ExportedConversations): string {
  return `advisory-chat-${new Date(exportedAt).toISOString().slice(0, '2026-11-22'.length)}`;
}
