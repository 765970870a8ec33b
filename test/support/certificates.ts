import { join } from 'node:path';
import { run } from './server-process.ts';

const ellipticKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const key = [...ellipticKey, '-nodes', '-days', '2'];

/** Creates a self-signed certificate for two days by default. Returns it and its key as one PEM text. */
export async function selfSign(options: readonly string[], newKey: readonly string[] = ellipticKey): Promise<string> {
  const parameters = ['req', '-x509', ...newKey, '-nodes', '-days', '2', ...options, '-keyout', '-', '-out', '-'];
  return (await run('openssl', parameters)).stdout;
}

/** Creates a certificate authority in `directory`. Each certificate is a pair of PEM files. */
export async function createAuthority(directory: string, name: string) {
  const files = (of: string) => ({ certificate: join(directory, `${of}.pem`), key: join(directory, `${of}.key`) });
  const authority = files(name);
  const output = ({ certificate, key }: { certificate: string; key: string }) => ['-keyout', key, '-out', certificate];
  await run('openssl', ['req', '-x509', ...key, '-subj', `/CN=${name}`, ...output(authority)]);
  return {
    certificate: authority.certificate,
    /** Issues a certificate: for a server at `names` (`DNS:…`, `IP:…`), or without names for a client's login. */
    async sign(subject: string, names: readonly string[] = []) {
      const signed = files(`${name}-${subject}`);
      const alternatives = names.length > 0 ? ['-addext', `subjectAltName=${names.join(',')}`] : [];
      const by = ['-CA', authority.certificate, '-CAkey', authority.key];
      const named = ['-subj', `/CN=${subject}`, ...alternatives];
      await run('openssl', ['req', '-x509', ...key, ...named, ...by, ...output(signed)]);
      return signed;
    },
  };
}
