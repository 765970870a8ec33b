import { loadConfig } from '../server/config/config.ts';
import { type ErrorCode, errorSentence, errors } from '../shared/errors.ts';

const { maxBodyBytes, maxMessages } = loadConfig({});

/** When it comes and what one does about it, in Markdown with links as from interface.md, and the shell commands that cause it. */
export type Refusal = {
  status: number;
  sentence: string;
  when: string;
  advice: string;
  note?: string;
  command?: string;
};

/** HTTP's own refusals: a sentence without a code, and a line end. */
export const refusals = {
  'not-http': {
    status: 400,
    sentence: 'The request is not valid HTTP.',
    when: 'What came is not HTTP.',
    advice: 'Fix the client, or look at what stands between it and the service.',
    note: 'not HTTP',
    command: `curl -i "$URL/api/chat/demo" -X POST -H 'Content-Length: many'`,
  },
  'no-host': {
    status: 400,
    sentence: 'The Host header is missing.',
    when: 'It is HTTP/1.1 without a `Host`.',
    advice: 'Fix the client.',
    note: 'no Host',
    command: `curl -i "$URL/api/chat/demo" -X POST -H 'Host:'`,
  },
  'other-site': {
    status: 403,
    sentence: 'This request has to come from a page of this site.',
    when: "A browser says that another site's page sent it.",
    advice: "Ask from a page of [the service's own address](#one-address), or from a program that is no browser.",
    command: `curl -i "$URL/api/chat/demo" -H 'Origin: https://elsewhere.example.com' -H "$JSON" -d '{}'`,
  },
  'plain-http': {
    status: 403,
    sentence: 'This service is reached over HTTPS only.',
    when: "It came by plain HTTP, and not from a development instance's own machine.",
    advice: 'Use `https://`.',
  },
  'not-found': {
    status: 404,
    sentence: 'There is nothing at this address.',
    when: "The path is none of the service's. `/api/chat/` is another one than `/api/chat`.",
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat/" -H "$COOKIE" -H "$JSON" -d '{}'`,
  },
  'other-method': {
    status: 405,
    sentence: 'This address takes POST only.',
    when: 'The method is another one. `Allow` says which it takes.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat"`,
  },
  'too-slow': {
    status: 408,
    sentence: 'The request took too long to arrive.',
    when: 'The headers did not arrive in 15 seconds, or the whole request not in 60.',
    advice: 'Look at the network. The person may ask again.',
    note: 'after a minute',
    command: `curl -i "$URL/api/chat/demo" -H "$JSON" -H 'Content-Length: 100' -d '{'`,
  },
  'too-large': {
    status: 413,
    sentence: `The request body is over ${maxBodyBytes} bytes.`,
    when: 'The body is too large, before inflating or after it.',
    advice: 'Leave out [the oldest messages](#the-request).',
    note: 'bytes',
    command: `head -c ${maxBodyBytes + 1} /dev/zero | curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" --data-binary @-`,
  },
  'too-many-messages': {
    status: 413,
    sentence: `There are more than ${maxMessages} messages.`,
    when: 'There are too many messages.',
    advice: 'The same.',
    note: 'messages',
    command: `echo "{\\"messages\\":[$(seq ${maxMessages + 1} | paste -s -d , -)]}" | curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d @-`,
  },
  'too-many-blocks': {
    status: 413,
    sentence: `The messages have more than ${maxMessages} content blocks in all.`,
    when: 'There are too many blocks.',
    advice: 'The same.',
    note: 'blocks',
    command: `echo "{\\"messages\\":[{\\"content\\":[$(seq ${maxMessages + 1} | paste -s -d , -)]}]}" | curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d @-`,
  },
  'unmet-expectation': {
    status: 417,
    sentence: 'The Expect header asks for something this server does not do.',
    when: '`Expect` is not `100-continue`.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H 'Expect: miracles' -H "$COOKIE" -H "$JSON" -d '{}'`,
  },
  'headers-too-large': {
    status: 431,
    sentence: 'The request headers are too large.',
    when: 'The headers are over 16 KiB, all cookies among them.',
    advice: 'Send less. A browser that has collected cookies has to clear them.',
    command: `curl -i "$URL/api/chat" -H "X-Long: $(head -c 17000 /dev/zero | tr '\\0' x)" -H "$COOKIE" -H "$JSON" -d '{}'`,
  },
} as const satisfies Record<string, Refusal>;

export type RefusalName = keyof typeof refusals;

/** The body of an error with this code; it names a wait if the rule of the code is to wait for `Retry-After`. */
export function exampleError(code: ErrorCode, sentence?: string): string {
  const waits = errors[code].retry.delaysSeconds === 'retry-after';
  return `${code}: ${errorSentence(code, waits ? 42 : undefined, sentence)}`;
}
