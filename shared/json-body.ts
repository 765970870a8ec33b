import { jsonSentences } from './errors.ts';

/** `application/json`, or a type with the suffix `+json`. */
const jsonType = /^\s*(?:application\/json|[\w!#$&^-]+\/[\w!#$&^.+-]+\+json)\s*(?:;|$)/i;

/** JSON is UTF-8. Decoding some other charsets takes a hundred times as long as parsing the text. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/**
 * Returns why a body with this `Content-Type` is refused; undefined for JSON in UTF-8. Other media types are refused because another
 * site can post forms without a preflight request.
 */
export function contentTypeError(contentType = ''): string | undefined {
  if (!jsonType.test(contentType)) return jsonSentences.mediaType;
  return otherCharset.test(contentType) ? jsonSentences.charset : undefined;
}
