import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { exampleOnboarding } from '../support/test-app.ts';
import { anyText, oneOf } from './texts.ts';

export type Header = readonly [name: string, value: string];

export type RequestBody = { headers: readonly Header[]; bytes: Buffer };

/** Any UTF-16 text that JSON can represent, including NUL and lone surrogates. */
const text = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }) },
  { weight: 10, arbitrary: fc.constantFrom('\0', '\uD800', ' ', 'user', '[{"role":"user"}]') },
  { weight: 1, arbitrary: fc.constant('') },
);

const anything: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 });

const mostly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: anything });

/** Generates an object that mostly has all `fields` and sometimes more. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 40, arbitrary: fc.record(fields) },
        { weight: 1, arbitrary: fc.record(fields, { requiredKeys: [] }) },
      ),
      fc.dictionary(fc.constantFrom('__proto__', 'constructor', 'id', 'name', 'length'), anything, {
        maxKeys: 1,
        noNullPrototype: true,
      }),
    )
    .map(([usual, more]) => ({ ...more, ...usual }));

const block = mostly(record({ type: mostly(fc.constant('text')), text: mostly(text) }));

const message = mostly(
  record({
    role: fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom('user', 'user', 'assistant') },
      { weight: 2, arbitrary: fc.constantFrom('system', 'tool', 'User', 'USER', 'user ', '') },
      { weight: 1, arbitrary: anything },
    ),
    content: mostly(
      fc.oneof({ weight: 2, arbitrary: text }, { weight: 1, arbitrary: fc.array(block, { maxLength: 3 }) }),
    ),
  }),
);

/** A request body as a JSON value. Most are almost valid, so that each validation rule is sometimes the one that fails. */
const anyBody = mostly(record({ messages: mostly(fc.array(message, { maxLength: 4 })), conversationId: anything })).map(
  (body): unknown => JSON.parse(JSON.stringify(body)),
);

/** Bytes of a body, bytes of a body with a part replaced, or arbitrary bytes. */
const anyBytes = fc.oneof(
  { weight: 3, arbitrary: anyBody.map((body) => Buffer.from(JSON.stringify(body))) },
  fc
    .tuple(anyBody, fc.uint8Array({ maxLength: 4 }), fc.nat(), fc.nat({ max: 3 }))
    .map(([body, inserted, position, removed]) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const at = position % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
    }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);

const turn = fc
  .tuple(anyText, fc.option(anyText, { nil: undefined }))
  .map(([content, conversationId]) => ({ messages: [{ role: 'user', content }], conversationId }));

const onboarding = fc
  .tuple(
    anyText,
    fc.dictionary(fc.constantFrom('company', 'profile', 'engagement'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 1 }),
  )
  .map(([text, wrong]) => ({
    ...exampleOnboarding,
    company: { ...exampleOnboarding.company, name: text },
    engagement: { hypotheses: [text], unknowns: [text] },
    ...wrong,
  }));

/** Bodies with a `…`, which is replaced by repetitions of a unit: elements, brackets or text. */
const templates = `…
{"messages":[…{"role":"user","content":"x"}]}
{"messages":[{"role":"user","content":[…{"type":"text","text":"x"}]}]}
{"messages":[{"role":"user","content":"…"}]}
{"messages":[{"role":"user","content":"x"}],"conversationId":"…"}
{"messages":[{"role":"user","content":"x"}],"…":1}
{"company":{"name":"…","industry":"x"},"profile":{"role":"x"}}
{"company":{"name":"x","industry":"x"},"profile":{"role":"x"},"engagement":{"hypotheses":[…"x"]}}`.split('\n');
const units = String.raw`{}, [], 0, "", {"role":"user","content":"x"}, {"type":"text","text":"x"}, {"role":{}},
  [ {"a": x 9 é 😀 \u0000 \ud800 \n`.split(/\s+/);

/** Usually a few repetitions, sometimes enough to exceed the body limit. */
const repetitive = fc
  .tuple(
    fc.constantFrom(...templates),
    fc.constantFrom(...units),
    oneOf([20, fc.nat({ max: 20 })], [4, fc.nat({ max: 3_000 })], [1, fc.nat({ max: 350_000 })]),
  )
  .map(([template, unit, count]) => template.replace('…', () => unit.repeat(count)));

/** JSON that careless code misinterprets. */
const oddJson = `null
\uFEFF{"messages":[{"role":"user","content":"x"}]}
{"messages":[],"messages":[{"role":"user","content":"x"}]}
{"__proto__":{"messages":[{"role":"user","content":"x"}]}}
{"messages":{"length":1,"0":{"role":"user","content":"x"}}}
{"messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}]}
{"messages":[{"role":"user","content":1e999}]}`.split('\n');

const anyContent: fc.Arbitrary<Uint8Array | string> = oneOf(
  [8, fc.oneof(turn, onboarding).map((value) => JSON.stringify(value))],
  [7, anyBytes],
  [8, repetitive],
  [1, fc.constantFrom(...oddJson)],
);

type Coding = { label: string; encode: (plain: Buffer) => Buffer };
const identity: Coding = { label: '', encode: (plain) => plain };
const codings: Coding[] = [
  { label: 'gzip', encode: (plain) => gzipSync(plain) },
  { label: 'deflate', encode: (plain) => deflateSync(plain) },
  { label: 'gzip, gzip', encode: (plain) => gzipSync(gzipSync(plain)) },
  { label: 'gzip', encode: (plain) => gzipSync(plain).subarray(0, -9) },
  { label: 'gzip', encode: (plain) => plain },
  { label: 'br', encode: (plain) => plain },
];

const types = [
  ...['application/json; charset=utf-8', 'application/json; charset=utf-16', 'application/json; charset=x', 'json', ''],
  ...['application/json;;;', 'application/problem+json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
];

type Framing = (bytes: Buffer) => RequestBody;

const byLength: Framing = (bytes) => ({ headers: [['Content-Length', String(bytes.length)]], bytes });

function inChunks(chunkSize: number): Framing {
  return (bytes) => {
    // Limits the number of chunks, because the fuzzer would otherwise spend its time on framing.
    const size = Math.max(chunkSize, Math.ceil(bytes.length / 200));
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => {
      const piece = bytes.subarray(at * size, (at + 1) * size);
      return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
    });
    return {
      headers: [['Transfer-Encoding', 'chunked']],
      bytes: Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')]),
    };
  };
}

const anyFraming = oneOf([3, fc.constant(byLength)], [1, fc.integer({ min: 1, max: 70_000 }).map(inChunks)]);

export const anyRequestBody: fc.Arbitrary<RequestBody> = fc
  .record({
    type: oneOf([12, fc.constant('application/json')], [1, fc.constantFrom(null, ...types)]),
    coding: oneOf([8, fc.constant(identity)], [1, fc.constantFrom(...codings)]),
    content: anyContent,
    framing: anyFraming,
  })
  .map(({ type, coding: { label, encode }, content, framing }) => {
    const { headers, ...framed } = framing(encode(Buffer.from(content)));
    const contentHeaders: Header[] = [];
    if (type !== null) contentHeaders.push(['Content-Type', type]);
    if (label !== '') contentHeaders.push(['Content-Encoding', label]);
    return { headers: [...contentHeaders, ...headers], ...framed };
  });
