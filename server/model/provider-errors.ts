import { APIError } from '@anthropic-ai/sdk';
import type { ErrorCode } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';
import { readText, type StreamedResponse } from './streamed-response.ts';

/** A response that failed before its stream began is judged by its status. */
const codesByStatus = new Map<number, ErrorCode>([
  [400, 'UPSTREAM_BAD_REQUEST'],
  [401, 'UPSTREAM_AUTH'],
  [403, 'UPSTREAM_AUTH'],
  [413, 'UPSTREAM_BAD_REQUEST'],
  [422, 'UPSTREAM_BAD_REQUEST'],
  [529, 'UPSTREAM_OVERLOADED'],
]);

/** An `error` event inside a stream has no status of its own. */
const codesByType = new Map<string, ErrorCode>([
  ['authentication_error', 'UPSTREAM_AUTH'],
  ['permission_error', 'UPSTREAM_AUTH'],
  ['invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  ['request_too_large', 'UPSTREAM_BAD_REQUEST'],
]);

/** The SDK's error for a response other than a success. */
export async function refusal(response: StreamedResponse): Promise<APIError> {
  const text = await readText(response);
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value));
  return APIError.generate(response.status, parsed(text), text, headers);
}

function parsed(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Translates whatever went wrong with the provider; what is not named here is `UPSTREAM_ERROR`. */
export function providerError(cause: unknown): AppError {
  return new AppError(providerErrorCode(cause), { cause });
}

function providerErrorCode(error: unknown): ErrorCode {
  if (!(error instanceof APIError)) return 'UPSTREAM_ERROR';
  if (error.type === 'overloaded_error') return 'UPSTREAM_OVERLOADED';
  const code = error.status === undefined ? codesByType.get(error.type ?? '') : codesByStatus.get(error.status);
  return code ?? 'UPSTREAM_ERROR';
}
