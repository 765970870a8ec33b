import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { saveFile } from '../controls/save-file.ts';
import type { ConversationList } from '../conversations/conversations.ts';

/** Says that something of what is kept is damaged, and lets the person download it as it was found. */
export function DamagedData({ list, count }: { list: ConversationList; count: number }) {
  const say = useTranslations('deviceData');
  const download = async () => {
    const text = await list.exportDamaged();
    saveFile({ name: 'advisory-chat-damaged.json', type: 'application/json', text });
  };
  return (
    <>
      <p>{say('damaged', { count })}</p>
      <Button onClick={download}>{say('downloadDamaged')}</Button>
    </>
  );
}
