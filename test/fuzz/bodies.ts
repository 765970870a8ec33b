import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { exampleOnboarding } from '../support/test-app.ts';
import { anyBytes } from './any-body.ts';
import { anyText, oneOf } from './texts.ts';

export type Header = readonly [name: string, value: string];

export type RequestBody = { headers: readonly Header[]; bytes: Buffer };

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
