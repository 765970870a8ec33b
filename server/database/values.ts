import { JsonType, type Platform, TextType } from '@mikro-orm/core';
import { customAlphabet } from 'nanoid';

const createSuffix = customAlphabet('0123456789abcdefghijklmnopqrstuvwxyz', 24);

/**
 * A cuid: 25 lower-case characters, the first a `c`, so that checks for either generation of cuids take it. The rest is
 * random. (The library for cuids hashes in JavaScript: a fifth of a millisecond for each id, three times a turn.)
 */
export function createId(): string {
  return `c${createSuffix()}`;
}

export function isId(value: unknown): value is string {
  return typeof value === 'string' && /^c[a-z0-9]{24}$/.test(value);
}

/**
 * PostgreSQL's text cannot hold NUL, nor lone surrogates: both are stored as U+FFFD.
 * The model provider is sent what the person typed; only the stored copy is changed.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Plain data with every text in it as it can be stored. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, storable(entry)]));
}

/** A text column that takes any JavaScript string. */
export class StorableText extends TextType {
  override convertToDatabaseValue(value: string | null): string | null {
    return typeof value === 'string' ? storableText(value) : value;
  }
}

/** A jsonb column whose strings may be any JavaScript strings. */
export class StorableJson extends JsonType {
  override convertToDatabaseValue(value: unknown, platform: Platform): string | null {
    return super.convertToDatabaseValue(storable(value), platform, undefined);
  }
}
