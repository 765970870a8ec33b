import { useEffect, useState, useSyncExternalStore } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import type { ConversationList, Usage } from '../conversations/conversations.ts';
import { inUnits } from '../device/byte-size.ts';
import { DownloadAll } from '../documents/download-all.tsx';
import { DamagedData } from './damaged-data.tsx';
import { ImportFile } from './import-file.tsx';
import { RemoveAll } from './remove-all.tsx';

/** What this device keeps of the person, and what they can do with it. */
export function DeviceData({ list }: { list: ConversationList }) {
  const state = useSyncExternalStore(list.subscribe, list.getState);
  const [usage, setUsage] = useState<Usage>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: what is used changes with what is kept
  useEffect(() => {
    let isWanted = true;
    list.usage().then(
      (latest) => isWanted && setUsage(latest),
      // What is used is good to know, and nothing depends on it.
      () => {},
    );
    return () => {
      isWanted = false;
    };
  }, [list, state]);

  return (
    <div className="device-data">
      <DeviceUsage count={state.entries.length} usage={usage} />
      {state.entries.length > 0 && <DownloadAll list={list} />}
      <ImportFile list={list} />
      {state.damagedCount > 0 && <DamagedData list={list} count={state.damagedCount} />}
      <RemoveAll list={list} isEmpty={state.entries.length === 0} />
    </div>
  );
}

function DeviceUsage({ count, usage }: { count: number; usage: Usage | undefined }) {
  const say = useTranslations('deviceData');
  const format = useFormatter();
  const size = (bytes: number) => {
    const { value, unit } = inUnits(bytes);
    return format.number(value, { style: 'unit', unit, maximumSignificantDigits: 3 });
  };
  const { usedBytes, quotaBytes, isPersistent } = usage ?? {};
  return (
    <>
      <p>{say('conversations', { count })}</p>
      {usedBytes !== undefined && quotaBytes !== undefined && (
        <p>{say('used', { used: size(usedBytes), quota: size(quotaBytes) })}</p>
      )}
      {isPersistent !== undefined && <p className="aside">{say(isPersistent ? 'persistent' : 'notPersistent')}</p>}
    </>
  );
}
