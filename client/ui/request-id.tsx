import { useTranslations } from 'use-intl/react';
import { CopyButton } from '../controls/copy-button.tsx';

/** The id under which an operator finds this request in the log. */
export function RequestId({ requestId }: { requestId: string }) {
  const say = useTranslations('requestId');
  return (
    <p className="request-id">
      {say.rich('request', { id: requestId, code: (id) => <code>{id}</code> })}
      <CopyButton label={say('copy')} text={requestId} />
    </p>
  );
}
