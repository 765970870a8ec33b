import { useTranslations } from 'use-intl/react';
import type { TurnVersions } from '../../chat/conversation-tree.ts';
import { IconButton } from '../../controls/button.tsx';

type VersionChoiceProps = {
  kind: 'question' | 'reply';
  position: TurnVersions['reply'];
  canChoose: boolean;
  onChoose: (turnId: string) => void;
};

export function VersionChoice({ kind, position, canChoose, onChoose }: VersionChoiceProps) {
  const t = useTranslations('versions');
  const { number, count, previousId, nextId } = position;
  return (
    <fieldset className="version-choice" aria-label={t(`${kind}Versions`)}>
      <StepButton
        direction="previous"
        label={t(`${kind}Previous`)}
        turnId={canChoose ? previousId : null}
        onChoose={onChoose}
      />
      <span role="status">
        <span aria-hidden="true">{t('position', { number, count })}</span>
        <span className="visually-hidden">{t(`${kind}Shown`, { number, count })}</span>
      </span>
      <StepButton direction="next" label={t(`${kind}Next`)} turnId={canChoose ? nextId : null} onChoose={onChoose} />
    </fieldset>
  );
}

type StepButtonProps = {
  direction: 'previous' | 'next';
  label: string;
  turnId: string | null;
  onChoose: (turnId: string) => void;
};

/** `aria-disabled` instead of `disabled`, so that the button keeps the focus when it reaches the first or last version. */
function StepButton({ direction, label, turnId, onChoose }: StepButtonProps) {
  return (
    <IconButton
      icon={direction}
      label={label}
      aria-disabled={turnId === null}
      onClick={() => turnId !== null && onChoose(turnId)}
    />
  );
}
