import { valuesOf } from '../wire/responses.ts';
import type { Rule } from './evidence.ts';

/** A redirect leads to this site or to a sign-in provider. */
export const redirects: Rule = ({ exchanged, greeting }) => {
  const allowed = [new URL(greeting.url).origin, ...greeting.providerOrigins];
  return exchanged.responses
    .flatMap((response) => valuesOf(response, 'location'))
    .filter((location) => !allowed.includes(URL.parse(location, greeting.url)?.origin ?? ''))
    .map((location) => `A redirect leads to ${location}`);
};
