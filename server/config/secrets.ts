import { settings, type Variables } from './environment.ts';

type Secrets = { secrets: readonly string[] };

const maxReasonCharacters = 2_000;

/** Returns only the first line of a database error, because row values can follow below it. */
export function printableReason(error: unknown, config: Secrets): string {
  const message = error instanceof Error ? error.message : String(error);
  const isDatabaseError = error instanceof Error && 'severity' in error;
  return withoutSecrets(isDatabaseError ? (message.split('\n')[0] ?? '') : message, config).slice(
    0,
    maxReasonCharacters,
  );
}

/** Redacts secrets: an error message about a rejected password can quote the password. */
export function withoutSecrets(text: string, { secrets }: Secrets): string {
  return secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '…'), text);
}

/** Lists every secret in each form in which it can occur, longest first, because one can be part of another. */
export function secretsIn(variables: Variables): string[] {
  const found = settings.flatMap(({ name, secret }) => {
    const value = variables[name];
    if (value === undefined || secret === undefined) return [];
    return secret === 'password' ? passwordsIn(value) : value.split(',').map((each) => each.trim());
  });
  return found.filter((secret) => secret !== '').toSorted((one, other) => other.length - one.length);
}

/** Finds both passwords of `postgresql://user:password@host/name?password=password`, as written and URL-decoded. The scheme is optional. */
function passwordsIn(address: string): string[] {
  return [/^(?:\w+:\/\/)?[^/:@]*:(.*)@/, /[?&](?:sentinel_)?password=([^&#]*)/]
    .map((pattern) => pattern.exec(address)?.[1])
    .filter((password) => password !== undefined)
    .flatMap((password) => [password, decodeOrKeep(password)]);
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
