import type { ProviderStep } from '../../../server/embedded/provider-server.ts';
import type { ErrorCode } from '../../../shared/errors.ts';
import { errorEvent } from '../../support/scripted-provider.ts';

/** Error responses of the provider: status, `type`, and the error code of live chat. */
export const refusals: readonly (readonly [number, string, ErrorCode])[] = [
  [529, 'overloaded_error', 'UPSTREAM_OVERLOADED'],
  [503, 'overloaded_error', 'UPSTREAM_OVERLOADED'],
  [529, 'api_error', 'UPSTREAM_OVERLOADED'],
  [401, 'authentication_error', 'UPSTREAM_AUTH'],
  [403, 'permission_error', 'UPSTREAM_AUTH'],
  [400, 'invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  [413, 'request_too_large', 'UPSTREAM_BAD_REQUEST'],
  [422, 'invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  [402, 'billing_error', 'UPSTREAM_ERROR'],
  [404, 'not_found_error', 'UPSTREAM_ERROR'],
  [408, 'timeout_error', 'UPSTREAM_ERROR'],
  [409, 'conflict_error', 'UPSTREAM_ERROR'],
  [429, 'rate_limit_error', 'UPSTREAM_ERROR'],
  [500, 'api_error', 'UPSTREAM_ERROR'],
  [502, 'api_error', 'UPSTREAM_ERROR'],
  [503, 'api_error', 'UPSTREAM_ERROR'],
  [504, 'timeout_error', 'UPSTREAM_ERROR'],
];

/** Failures after the stream has started, each with the code that live chat returns if no text was received. */
export const streamFailures: readonly (readonly [string, ProviderStep, ErrorCode])[] = [
  ['reports an overload', errorEvent('overloaded_error'), 'UPSTREAM_OVERLOADED'],
  ['reports an invalid API key', errorEvent('authentication_error'), 'UPSTREAM_AUTH'],
  ['reports a missing permission', errorEvent('permission_error'), 'UPSTREAM_AUTH'],
  ['reports a bad request', errorEvent('invalid_request_error'), 'UPSTREAM_BAD_REQUEST'],
  ['reports a request too large', errorEvent('request_too_large'), 'UPSTREAM_BAD_REQUEST'],
  ['reports its own rate limit', errorEvent('rate_limit_error'), 'UPSTREAM_ERROR'],
  ['reports an unknown error', errorEvent('unheard_of_error'), 'UPSTREAM_ERROR'],
  ['cuts the connection', { cut: true }, 'UPSTREAM_ERROR'],
  ['ends without message_stop', { end: true }, 'UPSTREAM_ERROR'],
  ['reports an internal error', errorEvent('api_error'), 'UPSTREAM_ERROR'],
  ['sends an event that is not JSON', { raw: 'data: {"type"\n\n' }, 'UPSTREAM_ERROR'],
  ['sends JSON that is not an event', { raw: 'data: [1]\n\n' }, 'UPSTREAM_ERROR'],
  [
    'sends a text delta without text',
    { raw: 'data: {"type":"content_block_delta","delta":{"type":"text_delta"}}\n\n' },
    'UPSTREAM_ERROR',
  ],
  [
    'sends JSON that is nested too deeply to parse',
    { raw: `data: {"type":"ping","deep":${'['.repeat(200_000)}\n\n` },
    'UPSTREAM_ERROR',
  ],
  ['sends lines that are not an event stream', { raw: '<html>\n\n' }, 'UPSTREAM_ERROR'],
];
