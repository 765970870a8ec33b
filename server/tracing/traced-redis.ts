import { tracingChannel } from 'node:diagnostics_channel';
import type { Span } from '@opentelemetry/api';
import { failSpan, type RequestSpans } from './request-spans.ts';

/** What ioredis says of a command. Its arguments are left alone: they are keys, with addresses and ids of people. */
type Message = { command?: unknown };

const nothing = () => undefined;

/** A span for each command to Redis that a request sends, as ioredis announces them; gives what ends that. */
export function traceRedis(spans: RequestSpans): () => void {
  const channel = tracingChannel<unknown, Message>('ioredis:command');
  const begun = new WeakMap<Message, Span>();
  const subscribers = {
    start(message: Message) {
      const name = String(message.command).toLowerCase();
      const span = spans.begin(name, { 'db.system.name': 'redis', 'db.operation.name': name });
      if (span !== undefined) begun.set(message, span);
    },
    end: nothing,
    asyncStart: nothing,
    asyncEnd: (message: Message) => begun.get(message)?.end(),
    error(message: Message & { error: unknown }) {
      const span = begun.get(message);
      if (span !== undefined) failSpan(span, message.error);
    },
  };
  channel.subscribe(subscribers);
  return () => void channel.unsubscribe(subscribers);
}
