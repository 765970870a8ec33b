import { useTranslations } from 'use-intl/react';
import type { PageDialogProps } from '../commands/dialog-props.ts';
import { Button } from '../controls/button.tsx';
import { keyNames } from '../controls/key-names.ts';
import { Modal } from '../controls/modal.tsx';
import { useEnterMeaning } from '../settings/use-enter-meaning.ts';

/** The keys that do something on the page. None of them is one of the browser's or of a screen reader's. */
export function ShortcutsDialog({ onClose }: PageDialogProps) {
  const say = useTranslations('shortcuts');
  const sayCommand = useTranslations('commands');
  const meaning = useEnterMeaning();
  const commandEnter = say('commandEnter', keyNames);
  const keys = [
    { what: say('palette'), key: say('commandK', keyNames) },
    { what: say('send'), key: meaning === 'send' ? say('enter') : commandEnter },
    { what: say('line'), key: meaning === 'send' ? say('shiftEnter') : say('enter') },
    { what: say('stop'), key: say('escape') },
    { what: say('move'), key: say('arrows') },
    { what: say('run'), key: say('enter') },
    { what: say('list'), key: '?' },
  ];
  return (
    <Modal label={say('title')} className="modal shortcuts" onClose={onClose}>
      {(close) => (
        <>
          <div className="drawer-head">
            <h2>{say('title')}</h2>
            <Button kind="quiet" onClick={close}>
              {sayCommand('close')}
            </Button>
          </div>
          <dl className="shortcut-keys">
            {keys.map(({ what, key }) => (
              <div key={what}>
                <dt>{what}</dt>
                <dd>
                  <kbd>{key}</kbd>
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Modal>
  );
}
