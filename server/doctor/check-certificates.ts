import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import type { Config } from '../config/config.ts';
import { type Finding, findingsOn, reasonOf } from './finding.ts';

const { ok, failed } = findingsOn('TLS');

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A program that renews certificates does so weeks before they end. */
const fewestDays = 7;

const patienceMilliseconds = 10_000;

/** Until when the certificates are good: that in TLS_CERT_FILE, and that which people are shown at PUBLIC_URL. */
export async function checkCertificates({ tls, publicUrl }: Config): Promise<Finding[]> {
  const address = publicUrl?.startsWith('https:') ? new URL(publicUrl) : undefined;
  const findings: Finding[] = [];
  if (tls !== undefined) {
    findings.push(await judged('TLS_CERT_FILE', address, () => new X509Certificate(readFileSync(tls.certFile))));
  }
  if (address !== undefined) {
    findings.push(await judged('The certificate at PUBLIC_URL', address, () => shownCertificate(address)));
  }
  return findings;
}

async function judged(
  name: string,
  address: URL | undefined,
  read: () => X509Certificate | Promise<X509Certificate>,
): Promise<Finding> {
  try {
    const certificate = await read();
    const end = new Date(certificate.validTo);
    const days = Math.floor((end.valueOf() - Date.now()) / dayMilliseconds);
    const lastDay = end.toISOString().slice(0, 10);
    if (days < 0) return failed(`${name} was good until ${lastDay}: renew it.`);
    if (address !== undefined && certificate.checkHost(address.hostname) === undefined) {
      return failed(`${name} is not for ${address.hostname}, the host of PUBLIC_URL.`);
    }
    const rest = `${name} is good until ${lastDay}, ${days} more ${days === 1 ? 'day' : 'days'}`;
    return days < fewestDays ? failed(`${rest}: renew it.`) : ok(`${rest}.`);
  } catch (error) {
    return failed(`${name} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Whatever it is: whether browsers trust it is for the check of PUBLIC_URL. */
async function shownCertificate({ hostname, port }: URL): Promise<X509Certificate> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || 443), servername: hostname, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(patienceMilliseconds) });
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error('none is shown');
    return certificate;
  } finally {
    socket.destroy();
  }
}
