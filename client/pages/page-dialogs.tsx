import { type ComponentType, useEffect, useState } from 'react';
import type { PageDialogProps } from '../commands/dialog-props.ts';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { isPaletteKey } from '../commands/palette-key.ts';
import { isApple } from '../controls/key-names.ts';
import { useSettings } from '../settings/in-settings.tsx';
import { DialogNotLoaded } from './dialog-not-loaded.tsx';

/** The dialogs of every page. Each is fetched when it is opened for the first time. */
const dialogs = {
  palette: async () => (await import('../commands/palette-dialog.tsx')).PaletteDialog,
  settings: async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog,
  shortcuts: async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
};

type DialogName = keyof typeof dialogs;

/** Opens the dialogs that every page has: by command, and the commands by their key. */
export function PageDialogs() {
  const [open, setOpen] = useState<DialogName | null>(null);
  const Dialog = useDialog(open);
  const { change } = useSettings();

  useOfferedCommands({
    settings: () => setOpen('settings'),
    shortcuts: () => setOpen('shortcuts'),
    palette: () => setOpen('palette'),
    themeSystem: () => change({ theme: 'system' }),
    themeLight: () => change({ theme: 'light' }),
    themeDark: () => change({ theme: 'dark' }),
  });

  useEffect(() => {
    const openByKey = (event: KeyboardEvent) => {
      if (event.isComposing || !isPaletteKey(event, isApple)) return;
      event.preventDefault();
      if (document.querySelector('dialog[open]') === null) setOpen('palette');
    };
    window.addEventListener('keydown', openByKey);
    return () => window.removeEventListener('keydown', openByKey);
  }, []);

  return Dialog && <Dialog onClose={() => setOpen(null)} />;
}

/** The dialog of this name once it has been fetched. */
function useDialog(name: DialogName | null): ComponentType<PageDialogProps> | undefined {
  const [fetched, setFetched] = useState<{ name: DialogName; Dialog: ComponentType<PageDialogProps> }>();

  useEffect(() => {
    if (name === null) return;
    let isWanted = true;
    const show = (Dialog: ComponentType<PageDialogProps>) => {
      if (isWanted) setFetched({ name, Dialog });
    };
    dialogs[name]().then(show, () => show(DialogNotLoaded));
    return () => {
      isWanted = false;
    };
  }, [name]);

  return fetched !== undefined && fetched.name === name ? fetched.Dialog : undefined;
}
