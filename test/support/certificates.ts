import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { run } from './server-process.ts';

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];

/** An authority in `directory`, and the certificates that it signs; each is a pair of PEM files. */
export async function createAuthority(directory: string, name: string) {
  const files = (of: string) => ({ certificate: join(directory, `${of}.pem`), key: join(directory, `${of}.key`) });
  const authority = files(name);
  const output = ({ certificate, key }: { certificate: string; key: string }) => ['-keyout', key, '-out', certificate];
  await run('openssl', ['req', '-x509', ...key, '-subj', `/CN=${name}`, ...output(authority)]);
  return {
    certificate: authority.certificate,
    /** For a server at one of `names` (`DNS:…`, `IP:…`), or for a client's login. */
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
 * The files that a server's TLS_CERT_FILE and TLS_KEY_FILE name, which whoever renews certificates replaces by replacing
 * the link to the directory that they are in. Made by openssl.
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

  const first = await renew();
  return {
    certFile: join(live, 'cert.pem'),
    keyFile: join(live, 'key.pem'),
    /** The fingerprint of the certificate that is there at first. */
    first,
    /** PEM: who signs all of them. */
    authority: await readFile(authority.certificate, 'utf8'),
    /** Puts another certificate in place, and gives its fingerprint. */
    renew,
  };
}

/** The fingerprint of the certificate that is shown to who connects now. */
export async function shownCertificate(url: string): Promise<string | undefined> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const shown = socket.getPeerX509Certificate()?.fingerprint256;
  socket.destroy();
  return shown;
}
