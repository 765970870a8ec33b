import type { ErrorCode } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { nameOrNull } from '../http/logger.ts';
import type { TextReply } from '../http/text-reply.ts';
import { isTimeout, type ModelResult } from '../model/anthropic-model.ts';

type TurnEnd = {
  /**
   * The error that the client gets if no text has been sent. `fromProvider` stands for the code of the provider's failure. With
   * null it gets no error: the reply is empty, or the client cannot be reached.
   */
  beforeText: ErrorCode | 'fromProvider' | null;
  /** The code of the error line that the client gets after text. */
  afterText: ErrorCode | null;
  /** Whether live chat stores a reply even if it has no text. */
  storesEmpty: boolean;
  /** The `ending` in the log line and in the metrics. */
  ending: ModelResult['ending'];
};

/** `error` is the error that `beforeText` names, or null if that is null. It is logged even if text has been sent. */
type EndedTurn = TurnEnd & { error: AppError | null };

/**
 * How a turn can end, and what follows. `npm run docs` prints this table for client authors and operators. Demo chat has
 * neither sessions nor stored replies.
 */
export const turnEnds = {
  complete: { beforeText: null, afterText: null, storesEmpty: true, ending: 'complete' },
  clientDisconnected: { beforeText: null, afterText: null, storesEmpty: false, ending: 'aborted' },
  clientStalled: { beforeText: null, afterText: null, storesEmpty: false, ending: 'aborted' },
  sessionEnded: {
    beforeText: 'UNAUTHENTICATED',
    afterText: 'UPSTREAM_ERROR',
    storesEmpty: false,
    ending: 'aborted',
  },
  shuttingDown: {
    beforeText: 'UPSTREAM_OVERLOADED',
    afterText: 'UPSTREAM_ERROR',
    storesEmpty: false,
    ending: 'aborted',
  },
  timedOut: { beforeText: 'UPSTREAM_ERROR', afterText: 'UPSTREAM_ERROR', storesEmpty: false, ending: 'failed' },
  providerFailed: { beforeText: 'fromProvider', afterText: 'UPSTREAM_ERROR', storesEmpty: false, ending: 'failed' },
} as const satisfies Record<string, TurnEnd>;

type TurnEndName = keyof typeof turnEnds;
type AbortReason = Exclude<TurnEndName, 'complete' | 'timedOut' | 'providerFailed'>;

/** `signal` aborts with the first call of `abort`, and only the reason of that call counts. */
export function createTurnController() {
  const controller = new AbortController();
  let abortReason: AbortReason | undefined;

  function endNameOf({ ending, error }: ModelResult): TurnEndName {
    if (ending === 'complete') return 'complete';
    if (ending === 'aborted' && abortReason !== undefined) return abortReason;
    return error !== null && isTimeout(error) ? 'timedOut' : 'providerFailed';
  }

  return {
    signal: controller.signal,

    abort(reason: AbortReason): void {
      abortReason ??= reason;
      controller.abort();
    },

    endOf(result: ModelResult): EndedTurn {
      const end = turnEnds[endNameOf(result)];
      const { beforeText } = end;
      if (beforeText === null || beforeText === 'fromProvider') return { ...end, error: result.error };
      return { ...end, error: new AppError(beforeText, { cause: result.error?.cause }) };
    },
  };
}

/** @throws the error of `end` if nothing has been sent yet, so that the response gets its status */
export function endReply(reply: TextReply, { error, afterText }: EndedTurn): void {
  if (error !== null && !reply.hasStarted) throw error;
  reply.end(afterText ?? undefined);
}

export function replyLogFields({ usage, stopReason, model, providerRequestId }: ModelResult, end: EndedTurn) {
  const { ending, error } = end;
  return {
    ...usage,
    ending,
    // The provider can send any text in these.
    stopReason: nameOrNull(stopReason),
    model: nameOrNull(model),
    providerRequestId: nameOrNull(providerRequestId),
    ...(error !== null && { code: error.code, err: error }),
  };
}
