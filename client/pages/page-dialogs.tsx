import { type ComponentType, useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useCoarsePointer } from '../browser/use-media.ts';
import { useWindowEvent } from '../browser/use-window-event.ts';
import { isCommandKey } from '../commands/command-key.ts';
import { useCommandRegistry, useRegisterCommands } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Modal, type PageDialogProps } from '../controls/modal.tsx';
import { whenIdleAfterLoad } from '../rendering/when-idle.ts';

const dialogs = {
  palette: async () => (await import('../commands/palette-dialog.tsx')).PaletteDialog,
  settings: async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog,
  shortcuts: async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
};

type DialogName = keyof typeof dialogs;

/** A dialog whose code is loaded opens within the key press, so that a letter typed right after it reaches the dialog's field. */
const loadedDialogs = new Map<DialogName, ComponentType<PageDialogProps>>();

async function loadDialog(name: DialogName): Promise<void> {
  loadedDialogs.set(name, await dialogs[name]());
}

function commandOf(press: KeyboardEvent): 'palette' | 'newConversation' | undefined {
  if (isCommandKey(press, { letter: 'k' })) return 'palette';
  return isCommandKey(press, { letter: 'o', shift: true }) ? 'newConversation' : undefined;
}

export function PageDialogs() {
  const [open, setOpen] = useState<DialogName | null>(null);
  const Dialog = useDialog(open);
  const registry = useCommandRegistry();
  const isTouched = useCoarsePointer();

  useEffect(() => whenIdleAfterLoad(() => void loadDialog('palette').catch(() => undefined)), []);

  useRegisterCommands({
    settings: () => setOpen('settings'),
    // Keyboard shortcuts are of no use on a touch screen.
    ...(!isTouched && { shortcuts: () => setOpen('shortcuts') }),
    palette: () => setOpen('palette'),
  });

  useWindowEvent('keydown', (event) => {
    const name = commandOf(event);
    if (name === undefined) return;
    event.preventDefault();
    if (document.querySelector('dialog[open]') === null) registry.run(name);
  });

  return Dialog && <Dialog onClose={() => setOpen(null)} />;
}

function useDialog(name: DialogName | null): ComponentType<PageDialogProps> | undefined {
  const [finished, setFinished] = useState<DialogName>();

  useEffect(() => {
    if (name === null || loadedDialogs.has(name)) return;
    let isCurrent = true;
    const show = () => {
      if (isCurrent) setFinished(name);
    };
    loadDialog(name).then(show, show);
    return () => {
      isCurrent = false;
      setFinished(undefined);
    };
  }, [name]);

  if (name === null) return undefined;
  return loadedDialogs.get(name) ?? (finished === name ? DialogFailure : undefined);
}

/** Replaces a dialog whose code could not be fetched: offline, or after a deployment that removed its file. */
function DialogFailure({ onClose }: PageDialogProps) {
  const t = useTranslations('commands');
  const tProblem = useTranslations('problem');
  return (
    <Modal label={t('notLoaded')} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <p role="alert">{t('notLoaded')}</p>
          <div className="modal-choices">
            <Button onClick={close}>{t('close')}</Button>
            <Button kind="primary" onClick={() => window.location.reload()}>
              {tProblem('reload')}
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
