import { type ErrorCode, errors, formatAppendedError } from '../../shared/errors.ts';

const errorLines = Object.keys(errors)
  .filter((name): name is ErrorCode => Object.hasOwn(errors, name))
  .map((code) => formatAppendedError(code));

const longestLine = Math.max(...errorLines.map(({ length }) => length));

/**
 * What can be shown of a reply that is still arriving: everything but a tail that may turn out to be the beginning
 * of an appended error line.
 */
export function presentableText(received: string): string {
  let start = received.indexOf('\n', Math.max(0, received.length - longestLine));
  while (start !== -1) {
    const tail = received.slice(start);
    if (errorLines.some((line) => line.startsWith(tail))) return received.slice(0, start);
    start = received.indexOf('\n', start + 1);
  }
  return received;
}
