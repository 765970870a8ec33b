import '../language/messages/en.ts';
import '../styles/palette.css';
import { useTranslations } from 'use-intl/react';
import { keyNames } from '../commands/command-key.ts';
import { Modal, type PageDialogProps } from '../controls/modal.tsx';
import { useEnterMeaning } from '../settings/settings-provider.tsx';

export function ShortcutsDialog({ onClose }: PageDialogProps) {
  const t = useTranslations('shortcuts');
  const tCommand = useTranslations('commands');
  const meaning = useEnterMeaning();
  const commandEnter = t('commandEnter', keyNames);
  const keys = [
    { label: tCommand('field'), key: t('commandK', keyNames) },
    { label: t('send'), key: meaning === 'send' ? t('enter') : commandEnter },
    { label: t('line'), key: meaning === 'send' ? t('shiftEnter') : t('enter') },
    { label: t('stop'), key: t('escape') },
    { label: t('newConversation'), key: t('commandShiftO', keyNames) },
    { label: t('editLast'), key: t('arrowUp') },
    { label: t('undo'), key: t('commandZ', keyNames) },
    { label: t('move'), key: t('arrows') },
    { label: t('run'), key: t('enter') },
    { label: t('list'), key: '?' },
  ];
  return (
    <Modal label={tCommand('shortcuts')} className="modal shortcuts" closeLabel={tCommand('close')} onClose={onClose}>
      {() => (
        <dl className="shortcut-keys">
          {keys.map(({ label, key }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <kbd>{key}</kbd>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Modal>
  );
}
