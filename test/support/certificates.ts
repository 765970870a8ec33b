import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { run } from './server-process.ts';

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];

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
      await run('openssl', [
        'req',
        '-x509',
        ...key,
        '-subj',
        `/CN=${subject}`,
        ...alternatives,
        ...by,
        ...output(signed),
      ]);
      return signed;
    },
  };
}

/**
 * Creates the files for TLS_CERT_FILE and TLS_KEY_FILE. Like certbot, a renewal writes a new directory and replaces the
 * symbolic link to the current one.
 */
export async function createTlsFiles(directory: string) {
  const authorities = join(directory, 'authorities');
  await mkdir(authorities);
  const authority = await createAuthority(authorities, 'authority');
  const live = join(directory, 'live');
  let count = 0;

  async function renew(): Promise<string> {
    count += 1;
    const { certificate, key } = await authority.sign(`server-${count}`, ['DNS:localhost', 'IP:127.0.0.1']);
    const version = join(directory, `version-${count}`);
    await mkdir(version);
    await rename(certificate, join(version, 'cert.pem'));
    await rename(key, join(version, 'key.pem'));
    await rm(`${live}.next`, { force: true });
    await symlink(version, `${live}.next`);
    await rename(`${live}.next`, live);
    return new X509Certificate(await readFile(join(version, 'cert.pem'))).fingerprint256;
  }

  const initialFingerprint = await renew();
  return {
    certFile: join(live, 'cert.pem'),
    keyFile: join(live, 'key.pem'),
    initialFingerprint,
    /** The authority's certificate in PEM. */
    authority: await readFile(authority.certificate, 'utf8'),
    /** Replaces the certificate and returns the fingerprint of the new one. */
    renew,
  };
}

/** The fingerprint of the certificate that a new connection is served. */
export async function servedCertificateFingerprint(url: string): Promise<string | undefined> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
  socket.destroy();
  return fingerprint;
}
