import { type ChangeEvent, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import type { ImportRejection, ImportResult } from '../conversations/conversation-file.ts';
import type { ConversationList } from '../conversations/conversation-list.ts';
import { type StorageUsage, toByteUnit } from '../device/site-storage.ts';
import { DownloadDialog } from '../documents/download-dialog.tsx';

export function DeviceData({ list }: { list: ConversationList }) {
  const state = useSyncExternalStore(list.subscribe, list.getState);
  const [usage, setUsage] = useState<StorageUsage>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the usage changes with the state of the list
  useEffect(() => {
    let isCurrent = true;
    list.usage().then(
      (latest) => isCurrent && setUsage(latest),
      // Without the figures, their space stays empty.
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [list, state]);

  return (
    <div className="device-data">
      <DeviceUsage count={state.entries.length} usage={usage} isPersisted={state.persistence === 'working'} />
      {state.entries.length > 0 && <Download list={list} />}
      <ImportFile list={list} />
      <RemoveAll list={list} isEmpty={state.entries.length === 0} />
    </div>
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
  return (
    <div>
      <div className="settings-row">
        <p>{t('conversations', { count })}</p>
        {(isPending || (usedBytes !== undefined && quotaBytes !== undefined)) && (
          <p className="aside" style={{ visibility }}>
            {t('used', { used: size(usedBytes ?? 0), quota: size(quotaBytes ?? 0) })}
          </p>
        )}
      </div>
      {isPersisted && count > 0 && (
        <p className="hint" style={{ visibility }}>
          {t(isPersistent ? 'persistent' : 'notPersistent')}
        </p>
      )}
      <p className="hint">{t('service')}</p>
    </div>
  );
}

type ActionRowProps = {
  name: string;
  description: string;
  /** The visible text of the button, whose accessible name is `name`. */
  action: string;
  kind?: 'danger';
  onClick: () => void;
};

function ActionRow({ name, description, action, kind, onClick }: ActionRowProps) {
  return (
    <div className="settings-row device-action">
      <div>
        <p>{name}</p>
        <p className="hint">{description}</p>
      </div>
      <Button {...(kind && { kind })} aria-label={name} onClick={onClick}>
        {action}
      </Button>
    </div>
  );
}

function Download({ list }: { list: ConversationList }) {
  const t = useTranslations('deviceData');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <ActionRow
        name={t('downloadAll')}
        description={t('downloadAllMeans')}
        action={t('download')}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && <DownloadDialog load={list.exportAll} onClose={() => setIsOpen(false)} />}
    </>
  );
}

const notImported: ImportResult = { added: 0, unchanged: 0, rejected: [{ reason: 'notStored', entry: null }] };

function ImportFile({ list }: { list: ConversationList }) {
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
    setImported(await list.importFile(text).catch(() => notImported));
  };
  const rejectionText = ({ reason, entry }: ImportRejection) => {
    if (entry === null) return tRejection(reason);
    const { position, title } = entry;
    return title === ''
      ? tRejection('unnamed', { position, reason: tRejection(reason) })
      : tRejection('named', { title, reason: tRejection(reason) });
  };
  return (
    <>
      <input ref={input} type="file" accept="application/json,.json" hidden onChange={importChosenFile} />
      <ActionRow
        name={t('importFile')}
        description={t('importFileMeans')}
        action={t('import')}
        onClick={() => input.current?.click()}
      />
      <div ref={result} role="status">
        {rejectedFile && <p className="field-error">{rejectionText(rejectedFile)}</p>}
        {imported && !rejectedFile && (
          <>
            <p>{t('imported', { added: imported.added, unchanged: imported.unchanged })}</p>
            {imported.rejected.length > 0 && (
              <>
                <p className="field-error">{t('refused', { count: imported.rejected.length })}</p>
                <ul className="refused">
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
}

type RemoveAllProps = { list: ConversationList; isEmpty: boolean };

function RemoveAll({ list, isEmpty }: RemoveAllProps) {
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
  if (step !== 'confirming' && step !== 'failed') {
    return (
      <ActionRow
        name={t('removeAll')}
        description={t('removeAllMeans')}
        action={t('remove')}
        kind="danger"
        onClick={() => setStep('confirming')}
      />
    );
  }
  return (
    <div className="remove-all" ref={(confirmation) => confirmation?.scrollIntoView({ block: 'nearest' })}>
      <p role="alert">{t('removeAllAsk')}</p>
      {step === 'failed' && (
        <p className="field-error" role="alert">
          {t('notRemoved')}
        </p>
      )}
      <div className="modal-choices">
        <Button autoFocus onClick={() => setStep(undefined)}>
          {tCommand('cancel')}
        </Button>
        <Button
          kind="danger-primary"
          onClick={() =>
            list.removeAll().then(
              () => setStep('done'),
              () => setStep('failed'),
            )
          }
        >
          {t('removeAllConfirm')}
        </Button>
      </div>
    </div>
  );
}
