import type { AppError } from '../app-error.ts';
import type { CacheableMessage } from '../prompt/cached-messages.ts';
import type { SystemBlock } from '../prompt/system-block.ts';

/** Token counts of one reply, as the provider states them. */
export type Usage = { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreateTokens: number };

export type ModelRequest = {
  system: readonly SystemBlock[];
  messages: readonly CacheableMessage[];
  maxTokens: number;
  effort: 'medium' | 'high';
};

/**
 * Takes each text delta as it comes, in order; none is empty, merged or split.
 * A returned promise holds the provider back until it settles.
 */
export type TextSink = (delta: string) => void | Promise<void>;

export type ModelOutcome = {
  /** `complete` only where the provider said that the reply is whole; `aborted` by the caller's signal */
  ending: 'complete' | 'aborted' | 'failed';
  /** set exactly when `ending` is `failed`: one of the `UPSTREAM_…` codes, the provider's own error as its cause */
  error: AppError | null;
  /** as far as it is known when the reply ends */
  usage: Usage;
  /** null unless `ending` is `complete` */
  stopReason: string | null;
  /** as the provider named it, else as configured */
  model: string;
  /** for the log alone: it never leaves the server */
  providerRequestId: string | null;
};

export type Model = {
  /**
   * Streams one reply. Trouble with the provider is an outcome, not a rejection; what rejects is an error that `onText`
   * threw while `signal` was not aborted. Either way the provider's request is over when the promise settles.
   */
  reply(request: ModelRequest, onText: TextSink, signal: AbortSignal): Promise<ModelOutcome>;
  /** Closes the connections to the provider, once running replies have ended. */
  close(): Promise<void>;
};
