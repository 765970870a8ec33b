import { join } from 'node:path';
import { run } from './server-process.ts';

/** Options of `openssl req`: an elliptic key takes a fraction of the CPU time of an RSA key. */
export const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'] as const;
const key = [...newKey, '-days', '2'];

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
