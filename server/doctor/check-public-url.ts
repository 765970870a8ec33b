import { once } from 'node:events';
import { connect } from 'node:tls';
import { ulid } from 'ulid';
import { parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { headers, routes } from '../../shared/interface.ts';
import type { Config } from '../config/config.ts';
import { type CheckResult, reasonOf, resultsFor, rootCause } from './checks.ts';

const { ok, failed, skipped } = resultsFor('PUBLIC_URL');

/** A reply counts as buffered if less time than this passes between its first and its last chunk. */
const minSpreadMilliseconds = 200;
const minChunks = 3;

/** A reply that takes less time than this can arrive all at once even without buffering. */
const fastReplyMilliseconds = 1_000;

/** Checks that a reply of demo chat streams, unchanged, through all proxies. */
export async function checkPublicUrl(config: Config): Promise<CheckResult[]> {
  const { publicUrl } = config;
  if (publicUrl === undefined) return [skipped('PUBLIC_URL is not set.')];
  try {
    const trial = await tryDemo({ url: publicUrl });
    if (trial.response.status !== 200) return [failed(failureReason(trial))];
    const direct = await tryDirectly(config, publicUrl);
    return [
      checkStreaming(trial, direct),
      checkUnchangedHeaders(trial),
      ...(publicUrl.startsWith('https:') ? [checkTransportSecurity(trial)] : []),
    ];
  } catch (error) {
    return [failed(`${publicUrl} is unreachable: ${reasonOf(error)}. ${unreachableAdvice(error)}`)];
  }
}

function unreachableAdvice(error: unknown): string {
  const cause = rootCause(error);
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return /CERT|TLS|SSL|SIGNATURE/.test(code)
    ? 'Check TLS: the certificate must be valid now, for this host, and sent with its intermediates.'
    : 'Check that the service is running, the host name resolves, and the port is open from this machine.';
}

function failureReason({ response, text }: DemoTrial): string {
  const { status } = response;
  if (status >= 300 && status < 400) {
    return `PUBLIC_URL redirects to ${response.headers.get('location')}. Set it to the final address.`;
  }
  const answer = `Demo chat returns ${status}${parseErrorCode(text) ? ` ${parseErrorCode(text)}` : ''}.`;
  if (status === 403) {
    return `${answer} Set TRUST_PROXY=true and make the proxy send X-Forwarded-Proto: https.`;
  }
  if (status === 429) {
    return `${answer} Try again in ${response.headers.get('retry-after')} seconds; this check counts towards the limit.`;
  }
  return `${answer} See the log for request id ${response.headers.get(headers.requestId) ?? '(none sent)'}.`;
}

function checkStreaming(trial: DemoTrial, direct: DemoTrial | undefined): CheckResult {
  const { code } = splitAppendedError(trial.text);
  if (code !== undefined) {
    return failed(`The reply ended with ${code} (${describeTiming(trial)}). See the log for the reason.`);
  }
  const directly = direct === undefined ? '' : `; directly from the service ${describeTiming(direct)}`;
  const compared = `${describeTiming(trial)}${directly}`;
  if (isStreamed(trial)) return ok(`Demo chat streams: ${compared}.`);
  if (direct !== undefined && isStreamed(direct)) {
    return failed(
      `A proxy buffers the reply: ${compared}. It ignores X-Accel-Buffering: no, ` +
        'so disable its response buffering (nginx: proxy_buffering off).',
    );
  }
  if (direct !== undefined || trial.endMilliseconds <= fastReplyMilliseconds) {
    return skipped(`The model replies too fast to detect buffering: ${compared}.`);
  }
  return failed(
    `The reply arrives all at once: ${compared}. A proxy buffers it, or the model does not stream. ` +
      "Run this on the service's machine, with its HOST and PORT, to compare with the service itself.",
  );
}

function isStreamed({ chunks, firstChunkMilliseconds, endMilliseconds }: DemoTrial): boolean {
  return chunks >= minChunks && endMilliseconds - firstChunkMilliseconds >= minSpreadMilliseconds;
}

function describeTiming({ chunks, firstChunkMilliseconds, endMilliseconds }: DemoTrial): string {
  return `${chunks} ${chunks === 1 ? 'chunk' : 'chunks'} in ${endMilliseconds} ms, the first after ${firstChunkMilliseconds} ms`;
}

/** Compares headers that the interface guarantees and that proxies often change. */
function checkUnchangedHeaders({ requestId, response }: DemoTrial): CheckResult {
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
  if (changes.length === 0) return ok('The headers of the reply arrive unchanged.');
  return failed(
    `A proxy changes headers of the reply: ${changes.join('; ')}. ` +
      'Configure it to pass them unchanged (nginx: proxy_pass_header X-Accel-Buffering, no gzip for text/plain).',
  );
}

function checkTransportSecurity({ response }: DemoTrial): CheckResult {
  return response.headers.has('strict-transport-security')
    ? ok('HSTS is enabled.')
    : failed('Strict-Transport-Security is missing. The service sends it: configure the proxy to pass it on.');
}

const replyTimeoutMilliseconds = 120_000;

/** Produces a reply that is long enough to stream. */
const question = 'Count from one to fifty in words, one number to a line.';

type TrialTarget = {
  url: string;
  /** The headers that a proxy would add. */
  headers?: Record<string, string>;
};

type DemoTrial = Awaited<ReturnType<typeof tryDemo>>;

/** @throws Error if the address is unreachable, its certificate is not trusted, or the connection is lost */
async function tryDemo({ url, headers: others }: TrialTarget) {
  const requestId = ulid();
  const startedAt = performance.now();
  const elapsed = () => Math.round(performance.now() - startedAt);
  const response = await fetch(`${url}${routes.demoChat}`, {
    method: 'POST',
    headers: { ...others, 'Content-Type': 'application/json', [headers.requestId]: requestId },
    body: JSON.stringify({ messages: [{ role: 'user', content: question }] }),
    redirect: 'manual',
    signal: AbortSignal.timeout(replyTimeoutMilliseconds),
  });
  const decoder = new TextDecoder();
  const trial = { requestId, response, text: '', chunks: 0, firstChunkMilliseconds: 0 };
  for await (const chunk of response.body ?? []) {
    if (trial.chunks === 0) trial.firstChunkMilliseconds = elapsed();
    trial.chunks += 1;
    trial.text += decoder.decode(chunk, { stream: true });
  }
  return { ...trial, endMilliseconds: elapsed() };
}

/** The addresses at which this machine reaches a service that listens on all of its addresses. */
const loopbackHosts: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

/** The address is reserved for documentation (RFC 5737), because the service warns about private ones. */
const proxyHeaders = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' };

/** Resolves to undefined if PUBLIC_URL is the direct address, or if the service does not reply there. */
async function tryDirectly({ host, port, trustProxy }: Config, publicUrl: string): Promise<DemoTrial | undefined> {
  const url = `http://${loopbackHosts[host] ?? (host.includes(':') ? `[${host}]` : host)}:${port}`;
  if (url === publicUrl) return undefined;
  try {
    const trial = await tryDemo({ url, ...(trustProxy && { headers: proxyHeaders }) });
    const ours = trial.response.headers.get(headers.requestId) === trial.requestId;
    return ours && trial.response.status === 200 ? trial : undefined;
  } catch {
    return undefined;
  }
}

const tlsResult = resultsFor('TLS');

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** A certificate this close to its expiry fails the check, because ACME clients renew weeks earlier. */
const minValidDays = 7;

const handshakeTimeoutMilliseconds = 10_000;

export async function checkCertificate({ publicUrl }: Config): Promise<CheckResult[]> {
  if (!publicUrl?.startsWith('https:')) return [];
  try {
    const end = await certificateExpiry(new URL(publicUrl));
    const days = Math.floor((end.valueOf() - Date.now()) / dayMilliseconds);
    const lastDay = end.toISOString().slice(0, 10);
    if (days < 0) return [tlsResult.failed(`The certificate at PUBLIC_URL expired on ${lastDay}. Renew it.`)];
    const expiry = `The certificate at PUBLIC_URL expires on ${lastDay}, in ${days} ${days === 1 ? 'day' : 'days'}.`;
    return [days < minValidDays ? tlsResult.failed(`${expiry} Renew it.`) : tlsResult.ok(expiry)];
  } catch (error) {
    return [
      tlsResult.failed(
        `The certificate at PUBLIC_URL cannot be read: ${reasonOf(error)}. Check that the proxy accepts TLS there.`,
      ),
    ];
  }
}

/** Accepts untrusted certificates, because the check of PUBLIC_URL reports these. */
async function certificateExpiry({ hostname, port }: URL): Promise<Date> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = connect({ host, port: Number(port || 443), servername: hostname, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(handshakeTimeoutMilliseconds) });
    return new Date(socket.getPeerCertificate().valid_to);
  } finally {
    socket.destroy();
  }
}
