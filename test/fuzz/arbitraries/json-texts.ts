import fc from 'fast-check';
import { anyBody } from '../../support/any-body.ts';
import { exampleOnboarding } from '../../support/test-app.ts';
import { anyLength, anyText } from './texts.ts';

/** A text by its recipe: a megabyte of it is printed in one line. */
export type Recipe = { what: string; before: string; unit: string; count: number; between: string; after: string };

export const written = ({ before, unit, count, between, after }: Recipe) =>
  before + Array.from({ length: count }, () => unit).join(between) + after;

const exactly = (text: string): Recipe => ({ what: 'text', before: text, unit: '', count: 0, between: '', after: '' });
const json = (value: unknown) => exactly(JSON.stringify(value) ?? '');

const turn = fc
  .tuple(anyText, fc.option(anyText, { nil: undefined }))
  .map(([content, conversationId]) => json({ messages: [{ role: 'user', content }], conversationId }));

/** Many of a thing, each of them as small as can be. */
const places: readonly (readonly [what: string, before: string, after: string])[] = [
  ['messages', '{"messages":[', ']}'],
  ['messages before a good one', '{"messages":[', ',{"role":"user","content":"x"}]}'],
  ['content', '{"messages":[{"role":"user","content":[', ']}]}'],
  ['root', '[', ']'],
  ['conversationId', '{"messages":[{"role":"user","content":"x"}],"conversationId":[', ']}'],
  ['hypotheses', '{"company":{"name":"x","industry":"x"},"profile":{"role":"x"},"engagement":{"hypotheses":[', ']}}'],
];
const elements = [
  '{}',
  '[]',
  '0',
  'null',
  '""',
  '"x"',
  '{"role":"user","content":"x"}',
  '{"role":"user","content":""}',
  '{"type":"text","text":"x"}',
  '{"type":"text"}',
  '{"role":{}}',
];
const wide = fc.tuple(fc.constantFrom(...places), fc.constantFrom(...elements), anyLength).map(
  ([[what, before, after], unit, count]): Recipe => ({
    what: `wide ${what}`,
    before,
    unit,
    count,
    between: ',',
    after,
  }),
);

const deep = fc
  .tuple(fc.constantFrom(...places), fc.constantFrom('[', '{"a":', '[{"content":'), anyLength, fc.boolean())
  .map(([[what, before, after], unit, count, closed]): Recipe => {
    const ends = { '[': ']', '{"a":': '}', '[{"content":': '}]' }[unit] ?? '';
    const most = Math.min(count, 100_000);
    return {
      what: `deep ${what}`,
      before,
      unit,
      count: most,
      between: '',
      after: closed ? `0${ends.repeat(most)}${after}` : '',
    };
  });

const long = fc
  .tuple(
    fc.constantFrom('x', ' ', '\\u0000', '\\ud800', '😀', '\\"', 'é', '9', '\\n'),
    fc.constantFrom(
      ['content', '{"messages":[{"role":"user","content":"', '"}]}'],
      ['role', '{"messages":[{"content":"x","role":"', '"}]}'],
      ['conversationId', '{"messages":[{"role":"user","content":"x"}],"conversationId":"', '"}'],
      ['key', '{"messages":[{"role":"user","content":"x"}],"', '":1}'],
      ['company', '{"profile":{"role":"x"},"company":{"industry":"x","name":"', '"}}'],
      ['number', '{"messages":[{"role":"user","content":"x"}],"n":1', '}'],
      ['space', '{"messages":[{"role":"user","content":"x"}]', '}'],
    ),
    anyLength,
  )
  .map(
    ([unit, [what = '', before = '', after = ''], count]): Recipe => ({
      what: `long ${what}`,
      before,
      unit,
      count,
      between: '',
      after,
    }),
  );

const onboarding = fc.oneof(
  fc.constant(exampleOnboarding),
  fc
    .tuple(fc.constantFrom('company', 'profile', 'engagement'), fc.jsonValue({ maxDepth: 2 }))
    .map(([field, value]) => ({
      ...exampleOnboarding,
      [field]: value,
    })),
  fc.tuple(anyText, anyText).map(([name, statement]) => ({
    ...exampleOnboarding,
    company: { ...exampleOnboarding.company, name },
    engagement: { hypotheses: [statement], unknowns: [statement] },
  })),
);

const notQuiteJson = fc.constantFrom(
  '',
  '{',
  'null',
  '"',
  '{"messages":[{"role":"user","content":"x"},]}',
  '\uFEFF{"messages":[{"role":"user","content":"x"}]}',
  '{"messages":[{"role":"user","content":"x"}]}x',
  '{"messages":[],"messages":[{"role":"user","content":"x"}]}',
  '{"__proto__":{"messages":[{"role":"user","content":"x"}]}}',
  '{"messages":{"length":1,"0":{"role":"user","content":"x"}}}',
  '{"messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}]}',
  '{"messages":[{"role":"user","content":"x"}],"toString":1,"hasOwnProperty":2}',
  '{"messages":[{"role":"user","content":1e999}]}',
  'messages=x&role=user',
);

/** The text of a request's body. */
export const anyRecipe: fc.Arbitrary<Recipe> = fc.oneof(
  { weight: 6, arbitrary: turn },
  { weight: 6, arbitrary: anyBody.map(json) },
  { weight: 4, arbitrary: wide },
  { weight: 2, arbitrary: deep },
  { weight: 2, arbitrary: long },
  { weight: 3, arbitrary: onboarding.map(json) },
  { weight: 2, arbitrary: notQuiteJson.map(exactly) },
);
