import { errors, parseErrorCode } from '../../../shared/errors.ts';
import { type Response, valuesOf } from '../wire/responses.ts';
import type { Rule } from './evidence.ts';
import { shortened } from './failures.ts';

/** A refusal is `CODE: sentence` or a sentence, in plain text; the fields of a form have a sentence each. */
export const refusals: Rule = ({ exchanged }) =>
  exchanged.responses
    .filter(({ status, complete }) => status >= 400 && complete)
    .filter((response) => !isPlain(response))
    .map(({ status, body }) => `A ${status} is no sentence in plain text: ${shortened(body)}`);

function isPlain(response: Response): boolean {
  const { status, body } = response;
  const [type = ''] = valuesOf(response, 'content-type');
  // The answer to a HEAD.
  if (body === '') return true;
  // A page for people who mistyped an address, and the standing of a static file that has changed.
  if (status === 404 && type.startsWith('text/html')) return true;
  if (status === 422) return type.startsWith('application/json') && areSentences(body);
  const code = parseErrorCode(body);
  const isSentence = code === undefined ? /^[A-Z][^\n]{1,200}\.\n?$/.test(body) : errors[code].status === status;
  return type.startsWith('text/plain') && isSentence && !body.slice(0, -1).includes('\n');
}

function areSentences(body: string): boolean {
  try {
    const fields: unknown = JSON.parse(Buffer.from(body, 'latin1').toString());
    return (
      typeof fields === 'object' && fields !== null && Object.values(fields).every((one) => typeof one === 'string')
    );
  } catch {
    return false;
  }
}
