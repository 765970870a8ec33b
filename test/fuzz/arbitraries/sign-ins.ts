import fc from 'fast-check';
import { routes } from '../../../shared/interface.ts';
import { providerNames } from '../../../shared/session.ts';
import { anyLine } from './texts.ts';
import { tokens } from './tokens.ts';

const value = (genuine: string) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(genuine) },
    { weight: 1, arbitrary: anyLine.map(encodeURIComponent) },
    { weight: 1, arbitrary: fc.constantFrom('', `${genuine}x`, '%00', '%zz', '%ff') },
  );

const parameter = fc.oneof(
  { weight: 4, arbitrary: value(tokens.code).map((code) => `code=${code}`) },
  { weight: 4, arbitrary: value(tokens.state).map((state) => `state=${state}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `error=${encodeURIComponent(line)}`) },
  { weight: 1, arbitrary: anyLine.map((line) => `error_description=${encodeURIComponent(line)}`) },
  { weight: 1, arbitrary: value(tokens.state).map((state) => `state[]=${state}`) },
  { weight: 1, arbitrary: value(tokens.code).map((code) => `code[a]=${code}`) },
);

const query = fc.oneof(
  { weight: 2, arbitrary: fc.constant([`code=${tokens.code}`, `state=${tokens.state}`]) },
  { weight: 3, arbitrary: fc.array(parameter, { maxLength: 4 }) },
);

/** The way back from a provider: as it sent the visitor, or changed on the way; and the cookie that comes with it. */
export const anyCallback = fc
  .tuple(
    fc.constantFrom(...providerNames),
    query,
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(tokens.attempt) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(null, tokens.onboarded, tokens.newcomer, `${tokens.onboarded}; ${tokens.attempt}`),
      },
      { weight: 1, arbitrary: anyLine.map((line) => tokens.attempt + line) },
    ),
  )
  .map(([provider, parameters, cookie]) => ({
    target: `${routes.signIn}/${provider}/callback?${parameters.join('&')}`,
    cookie,
  }));
