import { JsonType, type Platform, TextType } from '@mikro-orm/core';

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
