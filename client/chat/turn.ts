import type { ErrorCode } from '../../shared/errors.ts';

/**
 * How a turn ended: `interrupted` by the connection, or `left` with the page that showed it. `sentence` is fit for the
 * person; `requestId` is what they can quote to an operator.
 */
export type Ending =
  | { type: 'done' }
  | { type: 'stopped' }
  | { type: 'interrupted'; requestId: string }
  | { type: 'left'; requestId: string }
  | {
      type: 'failed';
      requestId: string;
      sentence: string;
      code?: ErrorCode | undefined;
      status?: number | undefined;
    };

/** One question and as much of its reply as has been shown. `ending` is null while the turn runs. */
export type Turn = {
  requestId: string;
  question: string;
  reply: string;
  ending: Ending | null;
};
