import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';

/** Stands where an address names a conversation that this device does not have. */
export function UnknownConversation({ onNew }: { onNew: () => void }) {
  const say = useTranslations('unknownConversation');
  return (
    <main id="main" className="conversation" tabIndex={-1}>
      <div className="unknown-conversation">
        <h1>{say('heading')}</h1>
        <p>{say('why')}</p>
        <p>{say('next')}</p>
        <Button kind="primary" onClick={onNew}>
          {say('create')}
        </Button>
      </div>
    </main>
  );
}
