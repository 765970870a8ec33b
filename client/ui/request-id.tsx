import { useState } from 'react';
import { Button } from './button.tsx';

/** The id under which an operator finds this request in the log. */
export function RequestId({ requestId }: { requestId: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(requestId);
    setCopied(true);
  };
  return (
    <p className="request-id">
      Request <code>{requestId}</code>
      <Button kind="quiet" onClick={copy} aria-label="Copy request id">
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </p>
  );
}
