import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import type { ConversationList } from '../conversations/conversations.ts';

type RemoveAllProps = { list: ConversationList; isEmpty: boolean };

/** Deletes all conversations from this device. It asks: there is no way back. */
export function RemoveAll({ list, isEmpty }: RemoveAllProps) {
  const say = useTranslations('deviceData');
  const [step, setStep] = useState<'ask' | 'done'>();
  const result = useRef<HTMLParagraphElement>(null);
  const isDone = step === 'done' && isEmpty;

  useEffect(() => {
    // The button that had the focus is gone.
    if (isDone) result.current?.focus();
  }, [isDone]);

  if (isDone) {
    return (
      <p ref={result} tabIndex={-1}>
        {say('removedAll')}
      </p>
    );
  }
  if (isEmpty) return null;
  if (step !== 'ask') return <Button onClick={() => setStep('ask')}>{say('removeAll')}</Button>;
  return (
    <div className="remove-all">
      <p role="alert">{say('removeAllAsk')}</p>
      <div className="modal-choices">
        <Button autoFocus onClick={() => setStep(undefined)}>
          {say('removeAllCancel')}
        </Button>
        <Button
          kind="primary"
          onClick={async () => {
            await list.removeAll();
            setStep('done');
          }}
        >
          {say('removeAllConfirm')}
        </Button>
      </div>
    </div>
  );
}
