import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { saveFile } from '../controls/save-file.ts';
import type { ConversationList } from '../conversations/conversations.ts';
import { exportedMarkdown } from './exported-markdown.ts';
import { useDocumentDay } from './use-document-day.ts';
import { useDocumentWords } from './use-document-words.ts';

/** Lets the person download all conversations: as a file that can be imported again, or as a text to read. */
export function DownloadAll({ list }: { list: ConversationList }) {
  const say = useTranslations('deviceData');
  const words = useDocumentWords();
  const dayOf = useDocumentDay();
  const [hasFailed, setHasFailed] = useState(false);

  const download = async (kind: 'json' | 'markdown') => {
    try {
      const exported = await list.exportAll();
      const name = `advisory-chat-${new Date(exported.exportedAt).toISOString().slice(0, '2026-11-22'.length)}`;
      if (kind === 'json')
        saveFile({ name: `${name}.json`, type: 'application/json', text: JSON.stringify(exported, null, 2) });
      else saveFile({ name: `${name}.md`, type: 'text/markdown', text: exportedMarkdown(exported, { words, dayOf }) });
      setHasFailed(false);
    } catch {
      setHasFailed(true);
    }
  };
  return (
    <div className="downloads">
      <Button onClick={() => download('json')}>{say('downloadJson')}</Button>
      <Button onClick={() => download('markdown')}>{say('downloadMarkdown')}</Button>
      {hasFailed && (
        <p className="field-error" role="alert">
          {say('downloadFailed')}
        </p>
      )}
    </div>
  );
}
