import { type ChangeEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Modal } from '../controls/modal.tsx';
import { type StorageUsage, toByteUnit } from '../device/site-storage.ts';
import { DownloadDialog } from '../documents/download-dialog.tsx';
import type { ImportRejection, ImportResult } from '../library/conversation-file.ts';
import type { Library } from '../library/library.ts';
import { ActionRow, SettingsRow } from './settings-row.tsx';

export function DeviceData({ library }: { library: Library }) {
  const state = useSyncExternalStore(library.subscribe, library.getState);
  const [usage, setUsage] = useState<StorageUsage>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the usage changes with the state of the library
  useEffect(() => {
    let isCurrent = true;
    library.readUsage().then((latest) => isCurrent && setUsage(latest));
    return () => {
      isCurrent = false;
    };
  }, [library, state]);

  return (
    <>
      <DeviceUsage count={state.entries.length} usage={usage} isPersisted={state.persistence === 'working'} />
      {state.entries.length > 0 && <DownloadRow library={library} />}
      <ImportRow library={library} />
      <RemoveAllRow library={library} isEmpty={state.entries.length === 0} />
    </>
  );
}

type DeviceUsageProps = {
  count: number;
  usage: StorageUsage | undefined;
  isPersisted: boolean;
};

function DeviceUsage({ count, usage, isPersisted }: DeviceUsageProps) {
  const t = useTranslations('deviceData');
  const format = useFormatter();
  const size = (bytes: number) => {
    const { value, unit } = toByteUnit(bytes);
    return format.number(value, { style: 'unit', unit, maximumSignificantDigits: 3 });
  };
  const { usedBytes, quotaBytes, isPersistent } = usage ?? {};
  // Invisible text reserves space, so that the dialog does not grow when the figures arrive.
  const isPending = usage === undefined;
  const visibility = isPending ? 'hidden' : undefined;
  const help = (
    <>
      {(isPending || (usedBytes !== undefined && quotaBytes !== undefined)) && (
        <p style={{ visibility }}>{t('used', { used: size(usedBytes ?? 0), quota: size(quotaBytes ?? 0) })}</p>
      )}
      {isPersisted && count > 0 && <p style={{ visibility }}>{t(isPersistent ? 'persistent' : 'notPersistent')}</p>}
      <p>{t('service')}</p>
    </>
  );
  return <SettingsRow name={t('conversations', { count })} help={help} />;
}

function DownloadRow({ library }: { library: Library }) {
  const t = useTranslations('deviceData');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <ActionRow
        name={t('downloadAll')}
        help={t('downloadAllMeans')}
        action={t('download')}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && <DownloadDialog load={library.exportAll} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const notImported: ImportResult = { added: 0, unchanged: 0, rejected: [{ reason: 'notStored', entry: null }] };

function ImportRow({ library }: { library: Library }) {
  const t = useTranslations('deviceData');
  const tRejection = useTranslations('importRefusals');
  const [imported, setImported] = useState<ImportResult>();
  const input = useRef<HTMLInputElement>(null);
  const result = useRef<HTMLDivElement>(null);
  const rejectedFile = imported?.rejected.find(({ entry }) => entry === null);

  useEffect(() => {
    if (imported) result.current?.scrollIntoView({ block: 'nearest' });
  }, [imported]);

  const importChosenFile = async ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file === undefined) return;
    // The field is cleared, because choosing the same file again would otherwise fire no change event.
    currentTarget.value = '';
    const text = await file.text().catch(() => '');
    setImported(await library.importFile(text).catch(() => notImported));
  };
  const rejectionText = ({ reason, entry }: ImportRejection) => {
    if (entry === null) return tRejection(reason);
    const { position, title } = entry;
    return title === ''
      ? tRejection('unnamed', { position, reason: tRejection(reason) })
      : tRejection('named', { title, reason: tRejection(reason) });
  };
  const help = (
    <>
      <p>{t('importFileMeans')}</p>
      <div ref={result} role="status">
        {rejectedFile && <p className="field-error">{rejectionText(rejectedFile)}</p>}
        {imported && !rejectedFile && (
          <>
            <p>{t('imported', { added: imported.added, unchanged: imported.unchanged })}</p>
            {imported.rejected.length > 0 && (
              <>
                <p className="field-error">{t('refused', { count: imported.rejected.length })}</p>
                <ul>
                  {[...new Set(imported.rejected.map(rejectionText))].map((reason) => (
                    <li key={reason}>{reason}</li>
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
    </>
  );
  return (
    <>
      <input ref={input} type="file" accept="application/json,.json" hidden onChange={importChosenFile} />
      <ActionRow name={t('importFile')} help={help} action={t('import')} onClick={() => input.current?.click()} />
    </>
  );
}

type RemoveAllRowProps = { library: Library; isEmpty: boolean };

function RemoveAllRow({ library, isEmpty }: RemoveAllRowProps) {
  const t = useTranslations('deviceData');
  const tCommand = useTranslations('commands');
  const [step, setStep] = useState<'confirming' | 'failed' | 'done'>();
  const result = useRef<HTMLParagraphElement>(null);
  const isDone = step === 'done' && isEmpty;

  useEffect(() => {
    // The button that had the focus no longer exists.
    if (isDone) result.current?.focus();
  }, [isDone]);

  if (isDone) {
    return (
      <p ref={result} tabIndex={-1}>
        {t('removedAll')}
      </p>
    );
  }
  if (isEmpty) return null;
  return (
    <>
      <ActionRow
        name={t('removeAll')}
        help={t('removeAllMeans')}
        action={t('remove')}
        kind="danger"
        onClick={() => setStep('confirming')}
      />
      {(step === 'confirming' || step === 'failed') && (
        <Modal label={t('removeAll')} className="modal" onClose={() => setStep(undefined)}>
          {(close) => (
            <>
              <h2>{t('removeAll')}</h2>
              <p>{t('removeAllAsk')}</p>
              {step === 'failed' && (
                <p className="field-error" role="alert">
                  {t('notRemoved')}
                </p>
              )}
              <div className="modal-choices">
                <Button onClick={close}>{tCommand('cancel')}</Button>
                <Button
                  kind="danger-primary"
                  onClick={() =>
                    library.removeAll().then(
                      () => setStep('done'),
                      () => setStep('failed'),
                    )
                  }
                >
                  {t('removeAllConfirm')}
                </Button>
              </div>
            </>
          )}
        </Modal>
      )}
    </>
  );
}
