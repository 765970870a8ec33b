import type { ErrorCode } from '../../../shared/errors.ts';

type Consequence = {
  /** how often it happens among a thousand replies, where nothing is wrong with the provider */
  weight: number;
  /** what live chat answers, by a status before any text; null where the reply ends well */
  before: ErrorCode | null;
  /** whether it strikes after text, as a line appended to it */
  after: boolean;
};

/** Whatever can become of a request at the provider, and what the person must be answered. */
export const fates = {
  reply: { weight: 820, before: null, after: false },
  'slow reply': { weight: 40, before: null, after: false },
  'refused with 529': { weight: 15, before: 'UPSTREAM_OVERLOADED', after: false },
  'refused with 500': { weight: 10, before: 'UPSTREAM_ERROR', after: false },
  'refused with 429': { weight: 5, before: 'UPSTREAM_ERROR', after: false },
  'refused with 401': { weight: 5, before: 'UPSTREAM_AUTH', after: false },
  'refused with 400': { weight: 5, before: 'UPSTREAM_BAD_REQUEST', after: false },
  'error event before text': { weight: 10, before: 'UPSTREAM_ERROR', after: false },
  'overloaded event before text': { weight: 10, before: 'UPSTREAM_OVERLOADED', after: false },
  'error event after text': { weight: 10, before: null, after: true },
  'cut before text': { weight: 10, before: 'UPSTREAM_ERROR', after: false },
  'cut after text': { weight: 10, before: null, after: true },
  'ended before text': { weight: 10, before: 'UPSTREAM_ERROR', after: false },
  'ended after text': { weight: 10, before: null, after: true },
  'malformed before text': { weight: 10, before: 'UPSTREAM_ERROR', after: false },
  'malformed after text': { weight: 10, before: null, after: true },
  'silent before text': { weight: 5, before: 'UPSTREAM_ERROR', after: false },
  'silent after text': { weight: 5, before: null, after: true },
} as const satisfies Record<string, Consequence>;

export type Fate = keyof typeof fates;

export const fateNames = Object.keys(fates).filter((name): name is Fate => Object.hasOwn(fates, name));
