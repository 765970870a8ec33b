import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import { ulid } from 'ulid';
import { Agent, fetch } from 'undici';
import { parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import type { Config } from '../config/config.ts';
import { type Finding, findingsOn, reasonOf, rootCause } from './checks.ts';

const { ok, failed, skipped } = findingsOn('PUBLIC_URL');

/** A reply of some length takes longer than this from its first piece to its last, unless something gathers the pieces. */
const minSpreadMilliseconds = 200;
const minChunks = 3;

/** A reply that took no longer may have been written all at once. */
const fastMilliseconds = 1_000;

/** Whether demo chat streams, unchanged, on the way that people take: through every proxy in front. */
export async function checkPublicUrl(config: Config): Promise<Finding[]> {
  const { publicUrl } = config;
  if (publicUrl === undefined) return [skipped('PUBLIC_URL is not set.')];
  try {
    const trial = await tryDemo({ url: publicUrl });
    if (trial.response.status !== 200) return [failed(refusal(trial))];
    const direct = await tryDirectly(config, publicUrl);
    return [
      streaming(trial, direct),
      unchanged(trial),
      ...(publicUrl.startsWith('https:') ? [transportSecurity(trial)] : []),
    ];
  } catch (error) {
    return [failed(`${publicUrl} cannot be reached: ${reasonOf(error)}. ${unreachableAdvice(error)}`)];
  }
}

function unreachableAdvice(error: unknown): string {
  const cause = rootCause(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /CERT|TLS|SSL|SIGNATURE/.test(code)
    ? 'Check TLS: the certificate has to be valid today, for this host, and given with its intermediates.'
    : 'Check that the service runs, the name resolves and the port is open, also from this machine.';
}

function refusal({ response, text }: DemoTrial): string {
  const { status } = response;
  if (status >= 300 && status < 400) {
    return `It redirects to ${response.headers.get('location')}. PUBLIC_URL has to be the address that answers.`;
  }
  const answer = `Demo chat answers ${status}${parseErrorCode(text) ? ` ${parseErrorCode(text)}` : ''}.`;
  if (status === 403) {
    return `${answer} Set TRUST_PROXY=true, and have the proxy in front send X-Forwarded-Proto: https.`;
  }
  if (status === 429) {
    return `${answer} Try again in ${response.headers.get('retry-after')} seconds: this check counts as a visitor.`;
  }
  return `${answer} The log has the reason, by request id ${response.headers.get(headers.requestId) ?? '(none sent)'}.`;
}

function streaming(trial: DemoTrial, direct: DemoTrial | undefined): Finding {
  const { code } = splitAppendedError(trial.text);
  if (code !== undefined) {
    return failed(`The reply broke off with ${code} (${measured(trial)}). The log has the reason.`);
  }
  const directly = direct === undefined ? '' : `; directly from the service ${measured(direct)}`;
  const compared = `${measured(trial)}${directly}`;
  if (comesInPieces(trial)) return ok(`Demo chat streams: ${compared}.`);
  if (direct !== undefined && comesInPieces(direct)) {
    return failed(
      `Something on the way buffers the reply: ${compared}. It does not honour X-Accel-Buffering: no, ` +
        'so switch its response buffering off (nginx: proxy_buffering off).',
    );
  }
  if (direct !== undefined || trial.endMilliseconds <= fastMilliseconds) {
    return skipped(`Whether something on the way buffers cannot be told, the model answers too fast: ${compared}.`);
  }
  return failed(
    `The reply comes all at once: ${compared}. Something on the way buffers it, or the model sends it so. ` +
      'Run this on the machine of the service, with its HOST and PORT: there it is compared with the service itself.',
  );
}

function comesInPieces({ chunks, firstChunkMilliseconds, endMilliseconds }: DemoTrial): boolean {
  return chunks >= minChunks && endMilliseconds - firstChunkMilliseconds >= minSpreadMilliseconds;
}

function measured({ chunks, firstChunkMilliseconds, endMilliseconds }: DemoTrial): string {
  return `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'} in ${endMilliseconds} ms, the first after ${firstChunkMilliseconds} ms`;
}

/** What the interface promises of a reply's headers, and proxies like to change. */
function unchanged({ requestId, response }: DemoTrial): Finding {
  const expected: [string, string | null][] = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Cache-Control', 'no-cache, no-transform'],
    ['X-Accel-Buffering', 'no'],
    ['Content-Encoding', null],
    [headers.requestId, requestId],
  ];
  const changes = expected
    .map(([name, value]) => ({ name, value, actual: response.headers.get(name) }))
    .filter(({ value, actual }) => value !== actual)
    .map(({ name, value, actual }) => `${name} is ${actual ?? 'absent'} instead of ${value ?? 'absent'}`);
  if (changes.length === 0) return ok('The headers of the reply arrive as they were sent.');
  return failed(
    `Something on the way changes headers of the reply: ${changes.join('; ')}. ` +
      'Let the proxy pass them as they are (nginx: proxy_pass_header X-Accel-Buffering, no gzip for text/plain).',
  );
}

function transportSecurity({ response }: DemoTrial): Finding {
  return response.headers.has('strict-transport-security')
    ? ok('Browsers are told to use HTTPS only (HSTS).')
    : failed('Strict-Transport-Security is missing: let the proxy pass it, as the service sends it.');
}

const replyMilliseconds = 120_000;

/** What wants an answer of some length. */
const question = 'Count from one to fifty in words, one number to a line.';

type Address = {
  url: string;
  /** The name that its certificate has to have, where that is not the one in `url`. */
  servername?: string;
  /** What a proxy in front would say. */
  headers?: Record<string, string>;
};

type DemoTrial = Awaited<ReturnType<typeof tryDemo>>;

/**
 * One reply of demo chat, as it came through everything between here and the address. Times are from the request on.
 * @throws where the address cannot be reached, its certificate is not trusted, or the connection breaks
 */
async function tryDemo({ url, servername, headers: others }: Address) {
  const agent = new Agent({ connect: { ...(servername !== undefined && { servername }) } });
  try {
    const requestId = ulid();
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    const response = await fetch(`${url}${routes.demoChat}`, {
      method: 'POST',
      headers: { ...others, 'Content-Type': 'application/json', [headers.requestId]: requestId },
      body: JSON.stringify({ messages: [{ role: 'user', content: question }] }),
      redirect: 'manual',
      signal: AbortSignal.timeout(replyMilliseconds),
      dispatcher: agent,
    });
    const decoder = new TextDecoder();
    const trial = { requestId, response, text: '', chunks: 0, firstChunkMilliseconds: 0 };
    for await (const chunk of response.body ?? []) {
      if (trial.chunks === 0) trial.firstChunkMilliseconds = elapsed();
      trial.chunks += 1;
      trial.text += decoder.decode(chunk, { stream: true });
    }
    return { ...trial, endMilliseconds: elapsed() };
  } finally {
    await agent.close();
  }
}

/**
 * The same reply from the process that listens on this machine, past every proxy; undefined where none does, or where it is
 * at PUBLIC_URL itself.
 */
async function tryDirectly(config: Config, publicUrl: string): Promise<DemoTrial | undefined> {
  const url = directUrl(config);
  if (url === publicUrl) return undefined;
  try {
    const trial = await tryDemo({
      url,
      servername: new URL(publicUrl).hostname,
      headers: config.trustProxy ? { 'X-Forwarded-Proto': 'https' } : {},
    });
    const ours = trial.response.headers.get(headers.requestId) === trial.requestId;
    return ours && trial.response.status === 200 ? trial : undefined;
  } catch {
    return undefined;
  }
}

function directUrl({ host, port, tls }: Config): string {
  const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = loopback[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}

const onTls = findingsOn('TLS');

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A program that renews certificates does so weeks before they end. */
const minDays = 7;

const handshakeMilliseconds = 10_000;

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
    const end = certificate.validToDate;
    const days = Math.floor((end.valueOf() - Date.now()) / dayMilliseconds);
    const lastDay = end.toISOString().slice(0, 10);
    if (days < 0) return onTls.failed(`${name} was good until ${lastDay}: renew it.`);
    if (address !== undefined && certificate.checkHost(address.hostname) === undefined) {
      return onTls.failed(`${name} is not for ${address.hostname}, the host of PUBLIC_URL.`);
    }
    const rest = `${name} is good until ${lastDay}, ${days} more ${days === 1 ? 'day' : 'days'}`;
    return days < minDays ? onTls.failed(`${rest}: renew it.`) : onTls.ok(`${rest}.`);
  } catch (error) {
    return onTls.failed(`${name} cannot be read: ${reasonOf(error)}.`);
  }
}

/** Whatever it is: whether browsers trust it is for the check of PUBLIC_URL. */
async function shownCertificate({ hostname, port }: URL): Promise<X509Certificate> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || 443), servername: hostname, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(handshakeMilliseconds) });
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) throw new Error('none is shown');
    return certificate;
  } finally {
    socket.destroy();
  }
}
