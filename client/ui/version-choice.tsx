import { useTranslations } from 'use-intl/react';
import type { VersionPlace } from '../chat/turn-versions.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';

type VersionChoiceProps = {
  /** What there are versions of. */
  of: 'question' | 'reply';
  place: VersionPlace;
  /** False while no other version can be shown. */
  canChoose: boolean;
  onChoose: (turnId: string) => void;
};

/** Says which version of a question or a reply is shown, and leads to the ones beside it. */
export function VersionChoice({ of, place, canChoose, onChoose }: VersionChoiceProps) {
  const say = useTranslations('versions');
  const { number, count, previousId, nextId } = place;
  return (
    <fieldset className={`version-choice version-choice-${of}`} aria-label={say(`${of}Versions`)}>
      <Step way="previous" label={say(`${of}Previous`)} turnId={canChoose ? previousId : null} onChoose={onChoose} />
      <span role="status">
        <span aria-hidden="true">{say(`${of}Place`, { number, count })}</span>
        <span className="visually-hidden">{say(`${of}Shown`, { number, count })}</span>
      </span>
      <Step way="next" label={say(`${of}Next`)} turnId={canChoose ? nextId : null} onChoose={onChoose} />
    </fieldset>
  );
}

type StepProps = {
  way: 'previous' | 'next';
  label: string;
  turnId: string | null;
  onChoose: (turnId: string) => void;
};

/** Is not `disabled` at either end: it would lose the focus to nothing just when it has been used. */
function Step({ way, label, turnId, onChoose }: StepProps) {
  return (
    <Button
      kind="action"
      title={label}
      aria-label={label}
      aria-disabled={turnId === null}
      onClick={() => turnId !== null && onChoose(turnId)}
    >
      <Icon name={way} />
    </Button>
  );
}
