import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, createSecureContext } from 'node:tls';
import type { Parameters } from './address.ts';

/**
 * How to encrypt a connection to `host`, as `pg` takes it: undefined where the address does not say, false for not at all.
 * The files are read for each connection, so that renewed ones count without a restart.
 * @throws Error that names the parameter of `variable` whose file cannot be used
 */
export async function readTls(
  { sslmode, sslrootcert, sslcert, sslkey }: Parameters,
  host: string,
  variable: string,
): Promise<ConnectionOptions | false | undefined> {
  if (sslmode === undefined) return undefined;
  // As for libpq: who can read a Unix socket has the machine.
  if (sslmode === 'disable' || host.startsWith('/')) return false;
  const authority = sslrootcert === 'system' ? undefined : sslrootcert;
  const certificate = (pem: string) => new X509Certificate(pem);
  const [ca, cert, key] = await Promise.all([
    readPem(`The sslrootcert of ${variable}`, authority, certificate),
    readPem(`The sslcert of ${variable}`, sslcert, certificate),
    readPem(`The sslkey of ${variable}`, sslkey, createPrivateKey),
  ]);
  return {
    secureContext: createSecureContext({ ca, cert, key }),
    // The name to find in the certificate. Without it an address in numbers would be taken for "localhost".
    host,
    rejectUnauthorized: sslmode !== 'require' || authority !== undefined,
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

async function readPem(what: string, path: string | undefined, check: (pem: string) => unknown) {
  if (path === undefined) return undefined;
  try {
    const pem = await readFile(path, 'utf8');
    check(pem);
    return pem;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : 'unknown';
    throw new Error(`${what} names a file that cannot be used (${code}).`, { cause });
  }
}
