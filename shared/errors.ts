/**
 * What a client does after a failed attempt.
 * `attempts` counts the first one. `delaysSeconds[n]` is the wait after the (n+1)th failure with this code;
 * `'retry-after'` means at least the seconds of the response's `Retry-After` header. Where `stopsOthers`, every other question
 * of the person would fail the same way until the wait is over, so none is sent.
 */
export type RetryRule = {
  attempts: number;
  delaysSeconds: readonly number[] | 'retry-after';
  stopsOthers: boolean;
  policy: string;
};

type ErrorRow = {
  status: number;
  /** What people read, after the code. */
  sentence: string;
  /** Whether demo chat may answer with it: what else goes wrong there is `UPSTREAM_ERROR`. */
  demo: boolean;
  retry: RetryRule;
};

const never = { attempts: 1, delaysSeconds: [], stopsOthers: false, policy: 'do not retry' } as const;

/** Exponential waits 1, 2, 4, 8, … seconds, capped at 30. Five attempts leave room for four of them. */
const backoff = (attempts: number) => Array.from({ length: attempts - 1 }, (_, failure) => Math.min(2 ** failure, 30));

/**
 * The specification's error table and its retry policy: every code that the service may send. Codes of surfaces that are only
 * planned (`VALIDATION_FAILED`, `CONVERSATION_NOT_FOUND`) are absent: nothing sends them.
 */
export const errors = {
  INVALID_JSON: { status: 400, sentence: 'The request body is not valid JSON.', demo: true, retry: never },
  MISSING_MESSAGES: {
    status: 400,
    sentence: 'Send "messages": a non-empty array of { "role", "content" } objects.',
    demo: true,
    retry: never,
  },
  LAST_MESSAGE_NOT_USER: {
    status: 400,
    sentence: 'The last message must have the role "user".',
    demo: false,
    retry: never,
  },
  UNAUTHENTICATED: { status: 401, sentence: 'Sign in to continue.', demo: false, retry: never },
  NOT_ONBOARDED: { status: 403, sentence: 'Complete onboarding to continue.', demo: false, retry: never },
  RATE_LIMITED: {
    status: 429,
    sentence: 'Too many requests.',
    demo: true,
    retry: {
      attempts: 5,
      delaysSeconds: 'retry-after',
      stopsOthers: true,
      policy: 'wait at least `Retry-After` seconds',
    },
  },
  UPSTREAM_OVERLOADED: {
    status: 503,
    sentence: 'The model is busy right now. Try again shortly.',
    demo: true,
    retry: {
      attempts: 5,
      delaysSeconds: backoff(5),
      stopsOthers: false,
      policy: 'exponential backoff 1s, 2s, 4s, 8s, capped at 30s; stop after 5 attempts',
    },
  },
  UPSTREAM_AUTH: {
    status: 500,
    sentence: 'The model provider is not set up correctly. An operator has to look at this.',
    demo: false,
    retry: never,
  },
  UPSTREAM_BAD_REQUEST: {
    status: 400,
    sentence: 'The model did not accept this request.',
    demo: false,
    retry: never,
  },
  UPSTREAM_ERROR: {
    status: 502,
    sentence: 'The model could not finish the reply.',
    demo: true,
    retry: {
      attempts: 2,
      delaysSeconds: [1],
      stopsOthers: false,
      policy: 'retry once; if it fails again, surface to the user',
    },
  },
  INTERNAL: { status: 500, sentence: 'Something went wrong on our side.', demo: false, retry: never },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

export const errorCodes: readonly ErrorCode[] = Object.keys(errors).filter(isErrorCode);

/**
 * What the documents say of each code, in Markdown with links as from docs/interface.md; `npm run docs` puts it there. No program
 * uses it, so no bundle has it.
 */
type CodeGuide = {
  /** When it comes on chat, and on a route that is not chat. */
  when: string;
  elsewhere?: string;
  /** What a client's author or a person does about it. */
  advice: string;
  /** Whether live chat may have stored the question by then, so that the answer has the conversation's id. */
  questionStored: boolean;
  /**
   * The shell command that causes it on a development instance, and a note on it; the guide says what `$URL` and the like are. A
   * test runs it. Without one, test/docs/provocations.ts says how the code comes about.
   */
  command?: string;
  note?: string;
};

export const errorGuide: Readonly<Record<ErrorCode, CodeGuide>> = {
  INVALID_JSON: {
    questionStored: false,
    when: 'The body cannot be parsed, or is refused before that: its `Content-Type` is not a JSON media type or names another charset than UTF-8, its `Content-Encoding` is not one of the four, or the body is not encoded so. The sentence says which.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d '{"messages":'`,
  },
  MISSING_MESSAGES: {
    questionStored: false,
    when: '`messages` is missing, empty or not a list. On live chat also: one of its elements is not a [message](#the-request), or has a text that is only white space.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d '{"messages":[]}'`,
  },
  LAST_MESSAGE_NOT_USER: {
    questionStored: false,
    when: 'The last element has another role: `assistant`, `system`, or any other text.',
    advice: 'Fix the client.',
    command: `curl -i "$URL/api/chat" -H "$COOKIE" -H "$JSON" -d '{"messages":[{"role":"system","content":"Be brief."}]}'`,
  },
  UNAUTHENTICATED: {
    questionStored: true,
    when: 'There is no session cookie, or the session has ended, or ends during the turn.',
    advice: 'Have the person [sign in](#sign-in), and keep what they have typed.',
    command: `curl -i "$URL/api/chat" -H "$JSON" -d '{}'`,
  },
  NOT_ONBOARDED: {
    questionStored: false,
    when: 'The person has not filled in the onboarding form.',
    advice: 'Lead them to [onboarding](#onboarding).',
    command: `curl -i "$URL/api/chat" -H "$NEWCOMER" -H "$JSON" -d '{}'`,
  },
  RATE_LIMITED: {
    questionStored: false,
    when: 'The [limit](#limits) is reached, or a budget is used up.',
    advice: 'Wait at least as long as `Retry-After` says, here 42 seconds.',
    elsewhere: 'Too many of these requests came from the address.',
    command: `for request in $(seq 16); do curl -i "$URL/api/chat/demo" -H 'X-Forwarded-For: 203.0.113.7' -H "$JSON" -d '{}'; done`,
    note: 'at the sixteenth request from one address; a development instance believes X-Forwarded-For',
  },
  UPSTREAM_OVERLOADED: {
    questionStored: true,
    when: 'The provider reports overload, the instance shuts down, or there is no room for one more turn.',
    advice: '[Retry](#retries).',
    elsewhere: 'This process is shutting down.',
    command: "ask 'please be overloaded'",
  },
  UPSTREAM_AUTH: {
    questionStored: true,
    when: "The provider does not accept the service's key.",
    advice: 'Tell the operator the request id.',
    command: "ask 'please reject the key'",
  },
  UPSTREAM_BAD_REQUEST: {
    questionStored: true,
    when: 'The provider refuses the request, most often because it is too long for the model.',
    advice: 'Leave out [the oldest messages](#the-request).',
    command: "ask 'please refuse the request'",
  },
  UPSTREAM_ERROR: {
    questionStored: true,
    when: 'Anything else that goes wrong with the provider. On demo chat also what has another code on live chat, and a message that is malformed.',
    advice: '[Retry once](#retries), then tell the person.',
    command: "ask 'please fail'",
  },
  INTERNAL: {
    questionStored: true,
    when: 'A fault of the service, or a database that is away for longer than ten seconds. The log has the reason.',
    advice: 'Tell the operator the request id.',
  },
};

/** The only codes that demo chat may answer with. */
export const demoErrorCodes = errorCodes.filter((code) => errors[code].demo);

/** The codes that are tried again. */
export type RetriedCode = {
  [Code in ErrorCode]: (typeof errors)[Code]['retry']['attempts'] extends 1 ? never : Code;
}[ErrorCode];

/** What `UPSTREAM_OVERLOADED` says where it is this service, not the model, that has no room: in all, for demo chat, for one person. */
export const fullSentences = {
  service: 'The service is full right now. Try again shortly.',
  demo: 'Demo chat is full right now. Try again shortly.',
  user: 'You have too many replies under way. Try again when one has ended.',
} as const;

/** What `INVALID_JSON` says if the body is refused before it is parsed. */
export const jsonSentences = {
  mediaType: 'The Content-Type must be a JSON media type, such as application/json.',
  charset: 'The charset in the Content-Type must be UTF-8.',
  encoding: 'The Content-Encoding must be gzip, deflate, br or zstd.',
  inflation: 'The request body cannot be decoded as its Content-Encoding says.',
} as const;

/** What `RATE_LIMITED` says where a day's budget of tokens is used up, by whose it is. */
export const budgetSentences = {
  user: 'Your daily budget of tokens is used up.',
  organization: "Your organization's daily budget of tokens is used up.",
  demo: "Demo chat's daily budget of tokens is used up.",
} as const;

export type BudgetOwner = keyof typeof budgetSentences;

/** The public sentence of `code`, or `sentence` in its place; on `RATE_LIMITED` it names the wait in whole seconds. */
export function errorSentence(
  code: ErrorCode,
  retryAfterSeconds?: number,
  sentence: string = errors[code].sentence,
): string {
  if (retryAfterSeconds === undefined) return sentence;
  return `${sentence} Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`;
}

/** The plain-text body of an error response: `CODE: sentence`. */
export function formatError(code: ErrorCode, retryAfterSeconds?: number, sentence?: string): string {
  return `${code}: ${errorSentence(code, retryAfterSeconds, sentence)}`;
}

/** The code at the start of an error body, or undefined where the body is not one of ours (a proxy's page, say). */
export function parseErrorCode(body: string): ErrorCode | undefined {
  const code = /^([A-Z_]+): /.exec(body)?.[1];
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

/** What is appended to a reply that fails after its first text, where the status can no longer change. */
export function formatAppendedError(code: ErrorCode): string {
  return `\n\n[${formatError(code)}]`;
}

/** The line that ends a reply which failed after its first text, with the blank line before it. The service appends no other. */
export const errorLine = formatAppendedError('UPSTREAM_ERROR');

/**
 * Splits a whole reply into its text and the code of the error appended to it, if there is one.
 * Only the exact line that the server appends is taken for an error, so a reply that quotes one loses nothing.
 */
export function splitAppendedError(reply: string): { text: string; code?: ErrorCode } {
  const code = /\n\n\[([A-Z_]+): [^\n]*\]$/.exec(reply)?.[1];
  if (code === undefined || !isErrorCode(code)) return { text: reply };
  const line = formatAppendedError(code);
  return reply.endsWith(line) ? { text: reply.slice(0, -line.length), code } : { text: reply };
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}
