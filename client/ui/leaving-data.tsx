import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import type { ConversationList } from '../conversations/conversations.ts';
import { DownloadAll } from '../documents/download-all.tsx';

/** Says what leaves this device when the person signs out, and lets them keep it. */
export function LeavingData({ list }: { list: ConversationList }) {
  const say = useTranslations('signOut');
  const { entries } = useSyncExternalStore(list.subscribe, list.getState);
  const [drafts, setDrafts] = useState(0);

  useEffect(() => {
    list.exportAll().then(
      ({ conversations }) => setDrafts(conversations.filter(({ draft = '' }) => draft !== '').length),
      // Without their number the sentence is true as well.
      () => setDrafts(0),
    );
  }, [list]);

  if (entries.length === 0) return null;
  return (
    <>
      <p>{say('leaving', { count: entries.length, drafts })}</p>
      <p className="aside">{say('keep')}</p>
      <DownloadAll list={list} />
    </>
  );
}
