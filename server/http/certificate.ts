import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';

export type CertificateFiles = { certFile: string; keyFile: string };

/** PEM texts: a certificate chain and its private key. */
export type Certificate = { cert: string; key: string };

/** @throws if a file cannot be read or is not PEM, or if the key does not belong to the certificate */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  // `createSecureContext` accepts an empty file, and the server would then present no certificate.
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('The key does not belong to the certificate.');
  }
  createSecureContext({ cert, key });
  return { cert, key };
}

type Options = {
  files: CertificateFiles;
  /** The certificate in use when watching starts. */
  current: Certificate;
  /** Applies a certificate to new connections. */
  use(certificate: Certificate): void;
  logger: Logger;
  intervalMilliseconds?: number;
};

/** Certificates are renewed days before they expire. */
const defaultIntervalMilliseconds = 60_000;

/**
 * Reads the files every minute and on request, and compares their contents: renewals overwrite files, switch a symbolic
 * link or replace a directory, and not every file system reports that. An unusable pair leaves the current one in use.
 * Each replacement and each failure is logged.
 */
export function watchCertificate(options: Options) {
  const { files, use, logger, intervalMilliseconds = defaultIntervalMilliseconds } = options;
  let { current } = options;
  let lastReload = Promise.resolve();

  async function reload(requested: boolean): Promise<void> {
    try {
      const found = await readCertificate(files);
      if (found.cert === current.cert && found.key === current.key) {
        if (requested) logger.info('TLS certificate unchanged');
        return;
      }
      use(found);
      current = found;
      const { validToDate } = new X509Certificate(found.cert);
      logger.info({ validTo: validToDate.toISOString() }, 'TLS certificate replaced');
    } catch (error) {
      logger.error({ err: error }, 'cannot reload the TLS certificate; the previous one stays in use');
    }
  }

  function enqueue({ requested }: { requested: boolean }): Promise<void> {
    lastReload = lastReload.then(() => reload(requested));
    return lastReload;
  }

  const timer = setInterval(() => void enqueue({ requested: false }), intervalMilliseconds).unref();

  return {
    /** Reads the files now, and logs the result even if nothing has changed. */
    reload: () => enqueue({ requested: true }),
    stop: () => clearInterval(timer),
  };
}
