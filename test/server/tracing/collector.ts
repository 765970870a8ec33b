import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../../support/loopback.ts';

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number; boolValue?: boolean };
type Attributes = { key: string; value: Value }[];

export type CollectedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  attributes: Record<string, string | number | boolean | undefined>;
  events: string[];
  failed: boolean;
};

type SentSpan = Omit<CollectedSpan, 'attributes' | 'events' | 'failed'> & {
  attributes: Attributes;
  events: { name: string }[];
  status: { code?: number };
};
type Sent = { resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: SentSpan[] }[] }[] };

/** Starts an OpenTelemetry collector on loopback. It records the JSON that it receives over OTLP/HTTP. */
export async function createCollector() {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  let resource: CollectedSpan['attributes'] = {};
  let silent = false;

  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.method !== 'POST' || request.url !== '/v1/traces') return void response.writeHead(404).end();
    bodies.push(body);
    if (silent) return;
    for (const { resource: of, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
      resource = recordOf(of.attributes);
      spans.push(...scopeSpans.flatMap(({ spans }) => spans.map(collected)));
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  const { port, close } = await listen(server);

  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    get resource() {
      return resource;
    },
    fallSilent(): void {
      silent = true;
    },
    close,
  };
}

function collected({ attributes, events, status, parentSpanId, ...span }: SentSpan): CollectedSpan {
  return {
    ...span,
    parentSpanId: parentSpanId || undefined,
    attributes: recordOf(attributes),
    events: events.map(({ name }) => name),
    failed: status.code === 2,
  };
}

function recordOf(attributes: Attributes): CollectedSpan['attributes'] {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
