import fc from 'fast-check';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { anyRequest, isDelimited, type Request, requestBytes } from './requests.ts';
import { type Meanings, withMeanings } from './texts.ts';

/** What the model provider does while a case runs. */
export const moods = [
  'well',
  'overloaded',
  'refuses the key',
  'refuses the request',
  'limits',
  'fails',
  'fails in mid-stream',
  'cuts',
  'cuts in mid-stream',
  'ends early',
  'talks nonsense',
  'is silent',
] as const;

export type Mood = (typeof moods)[number];

export const anyMood: fc.Arbitrary<Mood> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Mood>('well') },
  { weight: 1, arbitrary: fc.constantFrom(...moods) },
);

/** What goes over one connection, and what the provider does meanwhile. */
export type Case = {
  mood: Mood;
  /** Whose sign-in is begun beforehand, for a case that comes back from it. */
  signIn: ProviderName;
  /** One after the other, without waiting for answers. */
  requests: readonly Request[];
  /** Other bytes in the place of some; `at` is where, in thousandths of the whole; `inserted` is latin1. */
  spliced: { at: number; removed: number; inserted: string } | null;
  /** How many packets the bytes are sent in. */
  packets: number;
};

const splice = fc.record({
  at: fc.nat(1_000),
  removed: fc.nat(5),
  inserted: fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
});

export const anyCase: fc.Arbitrary<Case> = fc.record({
  mood: anyMood,
  signIn: fc.constantFrom(...providerNames),
  requests: fc.oneof(
    { weight: 8, arbitrary: fc.array(anyRequest, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(anyRequest, { minLength: 2, maxLength: 4 }) },
  ),
  spliced: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: splice }),
  packets: fc.oneof(
    { weight: 5, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: 2, max: 20 }) },
  ),
});

/** Whether everything that is sent has an end, and an answer that does not wait for a provider who is silent. */
export function isAnswerable({ requests, spliced, mood }: Case): boolean {
  return spliced === null && mood !== 'is silent' && requests.every(isDelimited);
}

export function needsSignIn({ requests }: Case): boolean {
  return requests.some(({ target, cookie }) => needing.test(`${target}${cookie}`));
}

const needing = /\{\{(?:attempt|code|state)\}\}/;

/** The bytes of a case in their packets. */
export function caseBytes({ requests, spliced, packets }: Case, meanings: Meanings) {
  const parts = requests.map(requestBytes);
  const whole = Buffer.concat(
    parts.flatMap(({ head, body }) => [Buffer.from(withMeanings(head, meanings), 'latin1'), body]),
  );
  const bytes = spliced === null ? whole : splicedInto(whole, spliced);
  const size = Math.max(1, Math.ceil(bytes.length / packets));
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  return pieces;
}

function splicedInto(bytes: Buffer, { at, removed, inserted }: NonNullable<Case['spliced']>): Buffer {
  const place = Math.floor((at * bytes.length) / 1_000);
  return Buffer.concat([bytes.subarray(0, place), Buffer.from(inserted, 'latin1'), bytes.subarray(place + removed)]);
}
