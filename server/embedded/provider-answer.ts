import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderBody } from './provider-request.ts';

/** A request that passed the provider's checks. */
export type ProviderRequest = {
  body: ProviderBody;
  headers: IncomingHttpHeaders;
  /** aborted when the client leaves before the answer has ended */
  left: AbortSignal;
};

/** Token counts in the provider's own names. */
export type ProviderUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
};

export type ProviderEvent = { type: string; [key: string]: unknown };

/** One thing that happens between the start of a reply and its end. */
export type ProviderStep =
  /** one text delta */
  | { text: string }
  /** any event, as it is */
  | { event: ProviderEvent }
  /** any bytes, as they are */
  | { raw: string | Uint8Array }
  /** a pause: milliseconds, or until the promise settles */
  | { wait: number | Promise<unknown> }
  /** the connection breaks */
  | { cut: true }
  /** the response ends, without the events that end a reply */
  | { end: true };

export type ProviderAnswer =
  /** before the stream: an HTTP status and the provider's error envelope */
  | { refuse: { status: number; type: string; message: string; headers?: Record<string, string> } }
  /**
   * A stream: the events that start a reply, the steps, and the events that end it.
   * `usage` is estimated where it is not given, `stopReason` is `end_turn`, `model` the one that was asked for.
   */
  | {
      steps: Iterable<ProviderStep> | AsyncIterable<ProviderStep>;
      usage?: Partial<ProviderUsage>;
      stopReason?: string;
      model?: string;
    };
