import { useTranslations } from 'use-intl/react';
import type { TurnVersions } from '../../chat/conversation-tree.ts';
import { Action } from '../../controls/button.tsx';

type VersionChoiceProps = {
  of: 'question' | 'reply';
  position: TurnVersions['reply'];
  canChoose: boolean;
  onChoose: (turnId: string) => void;
};

export function VersionChoice({ of, position, canChoose, onChoose }: VersionChoiceProps) {
  const t = useTranslations('versions');
  const { number, count, previousId, nextId } = position;
  return (
    <fieldset className="version-choice" aria-label={t(`${of}Versions`)}>
      <Step
        direction="previous"
        label={t(`${of}Previous`)}
        turnId={canChoose ? previousId : null}
        onChoose={onChoose}
      />
      <span role="status">
        <span aria-hidden="true">{t('position', { number, count })}</span>
        <span className="visually-hidden">{t(`${of}Shown`, { number, count })}</span>
      </span>
      <Step direction="next" label={t(`${of}Next`)} turnId={canChoose ? nextId : null} onChoose={onChoose} />
    </fieldset>
  );
}

type StepProps = {
  direction: 'previous' | 'next';
  label: string;
  turnId: string | null;
  onChoose: (turnId: string) => void;
};

/** `aria-disabled` instead of `disabled`, so that the button keeps the focus when it reaches the first or last version. */
function Step({ direction, label, turnId, onChoose }: StepProps) {
  return (
    <Action
      icon={direction}
      label={label}
      aria-disabled={turnId === null}
      onClick={() => turnId !== null && onChoose(turnId)}
    />
  );
}
