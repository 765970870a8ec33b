import { parseErrorCode, splitAppendedError } from '../../shared/errors.ts';
import { headers } from '../../shared/interface.ts';
import type { Config } from '../config/config.ts';
import { type DemoTrial, tryDemo } from './demo-trial.ts';
import { tryDirectly } from './direct-trial.ts';
import { type Finding, findingsOn, reasonOf, rootCause } from './finding.ts';

const { ok, failed, skipped } = findingsOn('PUBLIC_URL');

/** A reply of some length takes longer than this from its first piece to its last, unless something gathers the pieces. */
const leastSpreadMilliseconds = 200;
const fewestChunks = 3;

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
  return chunks >= fewestChunks && endMilliseconds - firstChunkMilliseconds >= leastSpreadMilliseconds;
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
