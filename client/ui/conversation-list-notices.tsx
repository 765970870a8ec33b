import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import type { ConversationList } from '../conversations/conversations.ts';
import { DownloadAll } from './download-all.tsx';
import { Notice } from './notice.tsx';

/** What is to be known of how the conversations are kept: that there is no room left, or that they are not kept at all. */
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
