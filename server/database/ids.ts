import { init } from '@paralleldrive/cuid2';

const createSuffix = init({ length: 24 });

/** A cuid: 25 lower-case characters, the first a `c`, so that checks for either generation of cuids take it. */
export function createId(): string {
  return `c${createSuffix()}`;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^c[a-z0-9]{24}$/.test(value);
}
