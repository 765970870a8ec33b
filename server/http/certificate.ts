import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';

export type CertificateFiles = { certFile: string; keyFile: string };

/** PEM texts: a certificate with its intermediates, and its key. */
export type Certificate = { cert: string; key: string };

/**
 * Reads the pair anew each time.
 * @throws where a file cannot be read or is not PEM, or where the two do not belong together
 */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')]);
  // An empty file would do for a secure context, which then shows no certificate at all.
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new Error('The key does not belong to the certificate.');
  }
  createSecureContext({ cert, key });
  return { cert, key };
}

type Options = {
  files: CertificateFiles;
  /** What is in use when the watch begins. */
  current: Certificate;
  /** Uses another pair from now on. */
  use(certificate: Certificate): void;
  logger: Logger;
  intervalMilliseconds?: number;
};

/** Whoever renews certificates does so days before they end. */
const defaultIntervalMilliseconds = 60_000;

/**
 * Looks whether the files have changed, once a minute and when it is told to. It compares what is in them: they are renewed
 * in place, by another link or by another directory, and not every file system says so. What cannot be used changes
 * nothing, and each look logs it.
 */
export function watchCertificate(options: Options) {
  const { files, use, logger, intervalMilliseconds = defaultIntervalMilliseconds } = options;
  let { current } = options;
  let lastLook = Promise.resolve();

  async function lookOnce(asked: boolean): Promise<void> {
    try {
      const found = await readCertificate(files);
      if (found.cert === current.cert && found.key === current.key) {
        if (asked) logger.info('the TLS certificate is the one in use already');
        return;
      }
      use(found);
      current = found;
      const { validToDate } = new X509Certificate(found.cert);
      logger.info({ validTo: validToDate.toISOString() }, 'another TLS certificate is in use from now on');
    } catch (error) {
      logger.error({ err: error }, 'the TLS certificate cannot be read anew: the one before stays in use');
    }
  }

  function look({ asked }: { asked: boolean }): Promise<void> {
    lastLook = lastLook.then(() => lookOnce(asked));
    return lastLook;
  }

  const timer = setInterval(() => void look({ asked: false }), intervalMilliseconds).unref();

  return {
    /** Looks at once, and logs what it finds in any case. */
    reload: () => look({ asked: true }),
    stop: () => clearInterval(timer),
  };
}
