import { useTranslations } from 'use-intl/react';
import { Modal } from '../controls/modal.tsx';
import type { PageDialogProps } from './dialog-props.ts';
import { useCommandRegistry } from './in-commands.tsx';
import { Palette } from './palette.tsx';
import { useNextStep } from './use-next-step.ts';

/** Everything that can be done or gone to, to be found by typing. What is chosen happens once the dialog has closed. */
export function PaletteDialog({ onClose }: PageDialogProps) {
  const say = useTranslations('commands');
  const registry = useCommandRegistry();
  const { closed, goOn } = useNextStep(onClose);

  return (
    <Modal label={say('title')} className="modal palette" onClose={closed}>
      {(close) => (
        <Palette
          commands={registry.commands()}
          conversations={registry.conversations()}
          onChoose={(action) => goOn(action, close)}
        />
      )}
    </Modal>
  );
}
