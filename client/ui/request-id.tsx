import { CopyButton } from './copy-button.tsx';

/** The id under which an operator finds this request in the log. */
export function RequestId({ requestId }: { requestId: string }) {
  return (
    <p className="request-id">
      Request <code>{requestId}</code>
      <CopyButton label="Copy request id" text={requestId} />
    </p>
  );
}
