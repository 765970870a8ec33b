import { type ComponentType, useEffect, useState } from 'react';
import { isCommandKey } from '../commands/command-key.ts';
import { useCommandRegistry, useRegisterCommands } from '../commands/commands-provider.tsx';
import type { PageDialogProps } from '../controls/modal.tsx';
import { NotLoaded } from '../controls/not-loaded.tsx';
import { useWindowEvent } from '../controls/use-window-event.ts';
import { whenIdle } from '../rendering/when-idle.ts';
import { useCoarsePointer } from '../settings/use-coarse-pointer.ts';

const dialogs = {
  palette: async () => (await import('../commands/palette-dialog.tsx')).PaletteDialog,
  settings: async () => (await import('../settings/settings-dialog.tsx')).SettingsDialog,
  shortcuts: async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
};

type DialogName = keyof typeof dialogs;

function commandOf(press: KeyboardEvent): 'palette' | 'newConversation' | undefined {
  if (isCommandKey(press, { letter: 'k' })) return 'palette';
  return isCommandKey(press, { letter: 'o', shift: true }) ? 'newConversation' : undefined;
}

export function PageDialogs() {
  const [open, setOpen] = useState<DialogName | null>(null);
  const Dialog = useDialog(open);
  const registry = useCommandRegistry();
  const isTouched = useCoarsePointer();

  // The palette is prefetched, so that text typed right after the shortcut reaches the palette's field.
  useEffect(() => whenIdle(() => void dialogs.palette().catch(() => undefined)), []);

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
  const [fetched, setFetched] = useState<{ name: DialogName; Dialog: ComponentType<PageDialogProps> }>();

  useEffect(() => {
    if (name === null) return;
    let isCurrent = true;
    const show = (Dialog: ComponentType<PageDialogProps>) => {
      if (isCurrent) setFetched({ name, Dialog });
    };
    dialogs[name]().then(show, () => show(NotLoaded));
    return () => {
      isCurrent = false;
    };
  }, [name]);

  return fetched !== undefined && fetched.name === name ? fetched.Dialog : undefined;
}
