import fc from 'fast-check';

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
export const anyBytes = fc.oneof(
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
