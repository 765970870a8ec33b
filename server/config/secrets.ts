import { settings, type Variables } from './environment.ts';

/** Of a configuration: what nothing may print. */
type Secrets = { secrets: readonly string[] };

const maxCharacters = 2_000;

/**
 * Why a part cannot be opened, as it may be printed: the error's words without a configured secret. A database adds the
 * row below its first line.
 */
export function printableReason(error: unknown, config: Secrets): string {
  const words = error instanceof Error ? error.message : String(error);
  const fromDatabase = error instanceof Error && 'severity' in error;
  return withoutSecrets(fromDatabase ? (words.split('\n')[0] ?? '') : words, config).slice(0, maxCharacters);
}

/** What refuses a password may quote it. */
export function withoutSecrets(text: string, { secrets }: Secrets): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
}

/** Every secret in each form in which it is known, longer ones first: one may be part of another. */
export function secretsIn(variables: Variables): string[] {
  const found = settings.flatMap(({ name, secret }) => {
    const value = variables[name];
    if (value === undefined || secret === undefined) return [];
    return secret === 'password' ? passwordsIn(value) : value.split(',').map((each) => each.trim());
  });
  return found.filter((secret) => secret !== '').toSorted((one, other) => other.length - one.length);
}

/** As it stands in the address, and decoded: `postgresql://user:password@host/name?password=password`. */
function passwordsIn(address: string): string[] {
  return [/^\w+:\/\/[^/:@]*:(.*)@/, /[?&](?:sentinel_)?password=([^&#]*)/]
    .map((form) => form.exec(address)?.[1])
    .filter((password) => password !== undefined)
    .flatMap((password) => [password, decoded(password)]);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
