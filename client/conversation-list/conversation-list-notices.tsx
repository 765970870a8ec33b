import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Notice } from '../controls/notice.tsx';
import type { ConversationList } from '../conversations/conversations.ts';
import { DownloadAll } from '../documents/download-all.tsx';

/** Says that the device has no room left for conversations, or does not keep them at all. */
export function ConversationListNotices({ list }: { list: ConversationList }) {
  const say = useTranslations('conversations');
  const { room, isLasting } = useSyncExternalStore(list.subscribe, list.getState);
  if (!isLasting) return <Notice tone="warning">{say('notLasting')}</Notice>;
  if (room === 'enough') return null;
  return (
    <Notice tone="warning">
      <p>{say('full')}</p>
      <DownloadAll list={list} />
    </Notice>
  );
}
