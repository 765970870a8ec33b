import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { ConversationList } from '../chat/conversations.ts';
import { Button } from './button.tsx';

/** Deletes all conversations from this device. It asks: there is no way back. */
export function RemoveAll({ list }: { list: ConversationList }) {
  const say = useTranslations('deviceData');
  const [isAsking, setIsAsking] = useState(false);
  if (!isAsking) return <Button onClick={() => setIsAsking(true)}>{say('removeAll')}</Button>;
  return (
    <div className="remove-all">
      <p role="alert">{say('removeAllAsk')}</p>
      <div className="modal-choices">
        <Button autoFocus onClick={() => setIsAsking(false)}>
          {say('removeAllCancel')}
        </Button>
        <Button kind="primary" onClick={() => list.removeAll()}>
          {say('removeAllConfirm')}
        </Button>
      </div>
    </div>
  );
}
