import type { turnEnds } from '../server/chat/turn-end.ts';
import { loadConfig } from '../server/config/config.ts';
import { bodyLimits, bodySentences } from '../shared/body-limits.ts';
import { type ExceededBound, maxMessages, tooManySentences } from '../shared/chat-requests.ts';
import { type ErrorCode, errorSentence, errors, type RetriedCode } from '../shared/errors.ts';
import { routeTable } from '../shared/route-table.ts';

const { maxBodyBytes } = loadConfig({});

/**
 * A refusal with its cause, the advice to a client (both Markdown with links relative to interface.md) and, for most, a shell
 * command that causes it.
 */
export type DocumentedError = {
  status: number;
  sentence: string;
  when: string;
  advice: string;
  note?: string;
  command?: string;
};

/** Refusals at the level of HTTP. The body is the sentence and a line end, without an error code. */
export const refusals = {
  'not-http': {
    status: 400,
    sentence: 'The request is not valid HTTP.',
    when: 'The request is not valid HTTP.',
    advice: 'Fix the client, or the proxy in between.',
    note: 'not HTTP',
    command: `curl -i "$URL/api/chat/demo" -X POST -H 'Content-Length: many'`,
  },
  'no-host': {
    status: 400,
    sentence: 'The request must have one Host header.',
    when: 'An HTTP/1.1 request has no `Host` header, or a request has several.',
    advice: 'Fix the client.',
    note: 'no Host, or several',
    command: `curl -i "$URL/api/chat/demo" -X POST -H 'Host:'`,
  },
  'other-site': {
    status: 403,
    sentence: 'Cross-origin requests are not allowed.',
    when: 'A browser sent the request from a page of another origin, with another method than GET or HEAD.',
    advice: "Send it from a page of [the service's own origin](#one-address), or from a program that is not a browser.",
    command: `curl -i "$URL/api/chat/demo" -H 'Origin: https://elsewhere.example.com' -H "$JSON" -d '{}'`,
  },
  'plain-http': {
    status: 403,
    sentence: 'HTTPS is required.',
    when: "The request used plain HTTP, and did not come from a development instance's own machine.",
    advice: 'Use `https://`.',
  },
  'not-found': {
    status: 404,
    sentence: 'Not found.',
    when: 'The path does not exist. `/api/chat/` is not `/api/chat`.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat/" -H "$COOKIE" -H "$JSON" -d '{}'`,
  },
  'other-method': {
    status: 405,
    sentence: 'Method not allowed. Use POST.',
    when: 'The method is not allowed. `Allow` names the allowed one.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat"`,
  },
  'too-slow': {
    status: 408,
    sentence: 'The request took too long to arrive.',
    when: 'The headers did not arrive within 15 seconds or the complete request within 60, or less than 10 KiB of the body, as sent or decompressed, arrived in ten seconds.',
    advice: 'Check the network. The user can ask again.',
    note: 'after ten seconds',
    command: `curl -i "$URL/api/chat/demo" -H "$JSON" -H 'Content-Length: 100' -d '{'`,
  },
  'too-large': {
    status: 413,
    sentence: bodySentences.tooLarge(maxBodyBytes),
    when: 'The body is too large, before or after decompression.',
    advice: 'Leave out [the oldest messages](#the-request).',
    note: 'bytes',
    command: `head -c ${maxBodyBytes + 1} /dev/zero | curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" --data-binary @-`,
  },
  'too-large-for-demo': {
    status: 413,
    sentence: bodySentences.tooLarge(bodyLimits.demoChat),
    when: 'The body is too large for demo chat, before or after decompression.',
    advice: 'Leave out [the oldest messages](#the-request).',
    note: 'bytes on demo chat',
    command: `head -c ${bodyLimits.demoChat + 1} /dev/zero | curl -i "$URL/api/chat/demo" -H "$JSON" --data-binary @-`,
  },
  'too-large-for-join': {
    status: 413,
    sentence: bodySentences.tooLarge(routeTable.join.maxBodyBytes),
    when: 'The body is too large for this route, before or after decompression.',
    advice: 'Fix the client.',
    note: 'bytes when joining',
    command: `head -c ${routeTable.join.maxBodyBytes + 1} /dev/zero | curl -i "$URL/auth/join" -H "$COOKIE" -H "$JSON" --data-binary @-`,
  },
  'too-large-for-onboarding': {
    status: 413,
    sentence: bodySentences.tooLarge(routeTable.onboarding.maxBodyBytes),
    when: 'The body is too large for onboarding, before or after decompression.',
    advice: 'Shorten the texts.',
    note: 'bytes of onboarding',
    command: `head -c ${routeTable.onboarding.maxBodyBytes + 1} /dev/zero | curl -i "$URL/onboarding" -H "$COOKIE" -H "$JSON" --data-binary @-`,
  },
  'too-compressed': {
    status: 413,
    sentence: bodySentences.tooCompressed,
    when: 'A compressed body becomes larger than 64 KiB and than 20 times the bytes that have arrived.',
    advice: 'Send it uncompressed.',
    note: 'expansion',
    command: `head -c 200000 /dev/zero | gzip | curl -i "$URL/api/chat/demo" -H "$JSON" -H 'Content-Encoding: gzip' --data-binary @-`,
  },
  'too-many-messages': {
    status: 413,
    sentence: tooManySentences['too-many-messages'],
    when: '`messages` has too many elements.',
    advice: 'Leave out [the oldest messages](#the-request).',
    note: 'messages',
    command: `echo "{\\"messages\\":[$(seq ${maxMessages + 1} | paste -s -d , -)]}" | curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d @-`,
  },
  'too-many-blocks': {
    status: 413,
    sentence: tooManySentences['too-many-blocks'],
    when: 'The messages have too many content blocks in total.',
    advice: 'Leave out [the oldest messages](#the-request).',
    note: 'blocks',
    command: `echo "{\\"messages\\":[{\\"content\\":[$(seq ${maxMessages + 1} | paste -s -d , -)]}]}" | curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d @-`,
  },
  'other-host': {
    status: 421,
    sentence: 'This host is not served here.',
    when: 'The request to a development instance named a host other than `localhost`, a name below it, an IP address or the host of `PUBLIC_URL`.',
    advice: 'Use `localhost`, an IP address, or the host of `PUBLIC_URL`.',
    command: `curl -i "$URL/api/chat/demo" -H 'Host: elsewhere.example.com' -H "$JSON" -d '{}'`,
  },
  'unmet-expectation': {
    status: 417,
    sentence: 'This Expect header is not supported.',
    when: '`Expect` is not `100-continue`.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H 'Expect: something' -H "$COOKIE" -H "$JSON" -d '{}'`,
  },
  'headers-too-large': {
    status: 431,
    sentence: 'The request headers are too large.',
    when: 'The headers, including cookies, are larger than 16 KiB.',
    advice: 'Send smaller headers. In a browser, clear the cookies of the site.',
    command: `curl -i "$URL/api/chat" -H "X-Long: $(head -c 17000 /dev/zero | tr '\\0' x)" -H "$COOKIE" -H "$JSON" -d '{}'`,
  },
} as const satisfies Record<string, DocumentedError> & Record<ExceededBound, DocumentedError>;

export type RefusalName = keyof typeof refusals;

/** Returns the body of an error with this code. It contains a wait if the code is sent with `Retry-After`. */
export function exampleError(code: ErrorCode, sentence?: string): string {
  const waits = errors[code].retry.delaysSeconds === 'retry-after';
  return `${code}: ${errorSentence(code, waits ? 42 : undefined, sentence)}`;
}

const retryPolicies: Partial<Record<ErrorCode, string>> = {
  RATE_LIMITED: 'wait at least `Retry-After` seconds',
  UPSTREAM_OVERLOADED: 'exponential backoff 1s, 2s, 4s, 8s, capped at 30s; stop after 5 attempts',
  UPSTREAM_ERROR: 'retry once; if it fails again, surface to the user',
} satisfies Record<RetriedCode, string>;

/** Returns the retry policy of a code in the specification's words. */
export function retryPolicyOf(code: ErrorCode): string {
  return retryPolicies[code] ?? 'do not retry';
}

/** The documentation of a code, in Markdown with links relative to interface.md. */
type CodeGuide = {
  /** The cause on a chat route. */
  when: string;
  /** The cause on any other route, if it differs. */
  elsewhere?: string;
  advice: string;
  /** Whether live chat may store the question before it fails, so that the response has `X-Conversation-Id`. */
  questionStored: boolean;
  /**
   * A shell command that causes the error on a development instance; docs/interface.md defines `$URL` and the other
   * variables. A test runs it.
   */
  command?: string;
  note?: string;
};

export const errorGuide: Readonly<Record<ErrorCode, CodeGuide>> = {
  INVALID_JSON: {
    questionStored: false,
    when: 'The body cannot be parsed or decompressed, its `Content-Type` is not a JSON media type, its charset is not UTF-8, or its `Content-Encoding` is not supported. The sentence says which.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d '{"messages":'`,
  },
  MISSING_MESSAGES: {
    questionStored: false,
    when: '`messages` is missing, empty or not an array. On live chat also: an element is not a [message](#the-request), or its text is only white space.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d '{"messages":[]}'`,
  },
  LAST_MESSAGE_NOT_USER: {
    questionStored: false,
    when: 'The role of the last message is `assistant`, `system` or any other string.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d '{"messages":[{"role":"system","content":"Be brief."}]}'`,
  },
  UNAUTHENTICATED: {
    questionStored: true,
    when: 'There is no session cookie, its session has ended before or during the turn, or the user was suspended, deleted or moved to another organization as the turn began.',
    advice: 'Ask the user to [sign in](#sign-in), and keep what they have typed.',
    command: `curl -i "$URL/api/chat" -H "$JSON" -d '{}'`,
  },
  NOT_ONBOARDED: {
    questionStored: false,
    when: 'The user has not completed onboarding.',
    advice: 'Send them to [onboarding](#onboarding).',
    command: `curl -i "$URL/api/chat" -H "$NEWCOMER" -H "$JSON" -d '{}'`,
  },
  RATE_LIMITED: {
    questionStored: false,
    when: 'The [limit](#limits) is reached, or a budget is used up.',
    advice: 'Wait at least `Retry-After` seconds, 42 in this example.',
    elsewhere: 'The limit for requests from one address is reached.',
    command: `for request in $(seq 16); do curl -i "$URL/api/chat/demo" -H 'X-Forwarded-For: 203.0.113.7' -H "$JSON" -d '{}'; done`,
    note: 'the sixteenth request from one address; a development instance trusts X-Forwarded-For',
  },
  UPSTREAM_OVERLOADED: {
    questionStored: true,
    when: 'The provider is overloaded, the instance is shutting down, the maximum number of turns is in progress (in all, on demo chat or of one user), or too many request bodies are arriving (in all, on demo chat, or from one user or address). On live chat also: too many answers wait for the database, or the turn has waited too long for a lock in it.',
    advice: '[Retry](#retries).',
    elsewhere: 'The instance is shutting down.',
    command: "ask 'please be overloaded'",
  },
  UPSTREAM_AUTH: {
    questionStored: true,
    when: "The provider rejects the service's API key.",
    advice: 'Give the request id to the operator.',
    command: "ask 'please reject the key'",
  },
  UPSTREAM_BAD_REQUEST: {
    questionStored: true,
    when: 'The provider rejects the request, usually because it is too long for the model.',
    advice: 'Drop [the oldest messages](#the-request).',
    command: "ask 'please refuse the request'",
  },
  UPSTREAM_ERROR: {
    questionStored: true,
    when: 'Any other failure of the provider. On demo chat also errors that have their own code only on live chat, and malformed messages.',
    advice: '[Retry once](#retries), then show the error to the user.',
    command: "ask 'please fail'",
  },
  INTERNAL: {
    questionStored: true,
    when: 'A bug in the service, or the database is unavailable for more than ten seconds. The log has the cause.',
    advice: 'Give the request id to the operator.',
  },
};

/** The cause of each end of a turn, and the response if the client gets no error. */
export const turnEndGuide: Record<
  keyof typeof turnEnds,
  { when: string; withoutError?: { before: string; after: string } }
> = {
  complete: {
    when: 'The model completes the reply.',
    withoutError: { before: '200, an empty reply', after: 'the end of the reply' },
  },
  clientDisconnected: { when: 'The client disconnects.', withoutError: { before: '–', after: '–' } },
  clientStalled: {
    when: 'The client does not read the response for one to two minutes.',
    withoutError: { before: '–', after: 'a closed connection' },
  },
  sessionEnded: {
    when: 'The session ends: the user signs out, an operator suspends, signs out or deletes the user, or the session expires or is the oldest of more than 100.',
  },
  shuttingDown: { when: 'The instance shuts down, and the reply is not complete within the grace period.' },
  timedOut: { when: 'The model provider sends nothing for a minute, or as long as the operator has set.' },
  providerFailed: { when: 'The model provider refuses the request, fails or breaks off.' },
};
