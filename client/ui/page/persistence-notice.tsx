import { useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../../controls/button.tsx';
import { Notice } from '../../controls/notice.tsx';
import { DownloadDialog } from '../../documents/download-dialog.tsx';
import type { Library } from '../../library/library.ts';

export function PersistenceNotice({ library }: { library: Library }) {
  const t = useTranslations('conversations');
  const tDeviceData = useTranslations('deviceData');
  const [isDownloading, setIsDownloading] = useState(false);
  const { persistence, entries } = useSyncExternalStore(library.subscribe, library.getState);
  if (persistence === 'working') return null;
  const isFull = persistence === 'full';
  return (
    <Notice tone="warning" title={t(isFull ? 'full' : 'notSaved')} advice={t(isFull ? 'fullAdvice' : 'notSavedAdvice')}>
      {entries.length > 0 && (
        <Button onClick={() => setIsDownloading(true)}>{tDeviceData(isFull ? 'downloadAll' : 'download')}</Button>
      )}
      {isDownloading && (
        // If writes fail although the storage is not full, conversations that are not in memory may be unreadable too.
        <DownloadDialog
          load={isFull ? library.exportAll : library.exportOpen}
          onClose={() => setIsDownloading(false)}
        />
      )}
    </Notice>
  );
}
