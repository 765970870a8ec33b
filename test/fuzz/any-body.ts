import fc from 'fast-check';

/** Text as JSON can carry it: any UTF-16, NUL and lone surrogates included. */
const text = fc.oneof(
  { weight: 20, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }) },
  { weight: 10, arbitrary: fc.constantFrom('\0', '\uD800', ' ', 'user', '[{"role":"user"}]') },
  { weight: 1, arbitrary: fc.constant('') },
);

const anything: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 3 });

/** Mostly `usual`, else something that nobody asked for. */
const mostly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: anything });

/** An object that mostly has all of `fields`, sometimes more. */
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

/** A request body as a JSON value: mostly nearly right, so that each rule is the one that decides now and then. */
const anyBody = mostly(record({ messages: mostly(fc.array(message, { maxLength: 4 })), conversationId: anything })).map(
  (body): unknown => JSON.parse(JSON.stringify(body)),
);

/** Any bytes: a body's, whole or cut or with other bytes in it, or no body's at all. */
export const anyBytes = fc.oneof(
  { weight: 3, arbitrary: anyBody.map((body) => Buffer.from(JSON.stringify(body))) },
  fc
    .tuple(anyBody, fc.uint8Array({ maxLength: 4 }), fc.nat(), fc.nat({ max: 3 }))
    .map(([body, inserted, place, removed]) => {
      const bytes = Buffer.from(JSON.stringify(body));
      const at = place % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
    }),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
);
