/**
 * How a client retries after a failed attempt. `attempts` includes the first one. `delaysSeconds[n]` is the wait after
 * the (n+1)th failure with this code; `'retry-after'` means at least the seconds in the response's `Retry-After`
 * header. With `startsCooldown`, the client sends no other question of this user until the wait ends, because it would
 * fail in the same way.
 */
export type RetryRule = {
  attempts: number;
  delaysSeconds: readonly number[] | 'retry-after';
  startsCooldown: boolean;
};

type ErrorRow = {
  status: number;
  /** The text for users that follows the code in an error body. */
  sentence: string;
  /** Whether demo chat returns this code. Demo chat returns `UPSTREAM_ERROR` in place of the other codes. */
  demo: boolean;
  retry: RetryRule;
};

const never = { attempts: 1, delaysSeconds: [], startsCooldown: false } as const;

/** Returns the delays between `attempts` attempts: 1, 2, 4, 8, … seconds, capped at 30. */
const backoff = (attempts: number) => Array.from({ length: attempts - 1 }, (_, failure) => Math.min(2 ** failure, 30));

/**
 * The specification's error table and retry policy, with every code that the service can send. `VALIDATION_FAILED` and
 * `CONVERSATION_NOT_FOUND`, which the specification reserves for planned features, are absent.
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
      startsCooldown: true,
    },
  },
  UPSTREAM_OVERLOADED: {
    status: 503,
    sentence: 'The model is busy right now. Try again shortly.',
    demo: true,
    retry: {
      attempts: 5,
      delaysSeconds: backoff(5),
      startsCooldown: false,
    },
  },
  UPSTREAM_AUTH: {
    status: 500,
    sentence: 'The model provider is misconfigured. Contact the operator of this service.',
    demo: false,
    retry: never,
  },
  UPSTREAM_BAD_REQUEST: {
    status: 400,
    sentence: 'The model provider rejected this request.',
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
      startsCooldown: false,
    },
  },
  INTERNAL: { status: 500, sentence: 'Something went wrong on our side.', demo: false, retry: never },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

export type UpstreamCode = Extract<ErrorCode, `UPSTREAM_${string}`>;

export const errorCodes: readonly ErrorCode[] = /* @__PURE__ */ Object.keys(errors).filter(isErrorCode);

export const demoErrorCodes = /* @__PURE__ */ errorCodes.filter((code) => errors[code].demo);

export type RetriedCode = {
  [Code in ErrorCode]: (typeof errors)[Code]['retry']['attempts'] extends 1 ? never : Code;
}[ErrorCode];

/** The sentences of `UPSTREAM_OVERLOADED` when a limit of this service, not the model, is the cause. */
export const capacitySentences = {
  service: 'The service is at capacity right now. Try again shortly.',
  demo: 'Demo chat is at capacity right now. Try again shortly.',
  user: 'You have too many replies in progress. Try again when one has finished.',
  bodies: 'The service is receiving too many requests right now. Try again shortly.',
  share: 'Too many requests from you or your network are arriving at once. Try again shortly.',
} as const;

/** The sentences of `INVALID_JSON` when the body is rejected before it is parsed. */
export const jsonSentences = {
  mediaType: 'The Content-Type must be a JSON media type, such as application/json.',
  charset: 'The charset in the Content-Type must be UTF-8.',
  encoding: 'The Content-Encoding must be gzip or deflate.',
  inflation: 'The request body does not match its Content-Encoding.',
} as const;

/** The sentences of `RATE_LIMITED` when turns of the trailing 24 hours have used or reserved a whole budget, by its scope. */
export const budgetSentences = {
  user: 'Your daily token budget is used up.',
  organization: "Your organization's daily token budget is used up.",
  demo: "Demo chat's daily token budget is used up.",
} as const;

export type BudgetScope = keyof typeof budgetSentences;

/** Returns `sentence`, by default that of `code`, followed by the wait if there is one. */
export function errorSentence(
  code: ErrorCode,
  retryAfterSeconds?: number,
  sentence: string = errors[code].sentence,
): string {
  if (retryAfterSeconds === undefined) return sentence;
  return `${sentence} Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}.`;
}

/** Returns the plain-text body of an error response: `CODE: sentence`. */
export function formatError(code: ErrorCode, retryAfterSeconds?: number, sentence?: string): string {
  return `${code}: ${errorSentence(code, retryAfterSeconds, sentence)}`;
}

/** Returns the code at the start of an error body, or undefined for any other body, such as a proxy's error page. */
export function parseErrorCode(body: string): ErrorCode | undefined {
  const code = /^([A-Z_]+): /.exec(body)?.[1];
  return code !== undefined && isErrorCode(code) ? code : undefined;
}

/** Returns the text to append to a reply that fails after its first text, when the status can no longer change. */
export function formatAppendedError(code: ErrorCode): string {
  return `\n\n[${code}: ${errors[code].sentence}]`;
}

/**
 * Splits a complete reply into its text and the code of the appended error, if there is one.
 * Only the exact line that the server appends counts as an error, so a reply that quotes a similar line is not cut.
 */
export function splitAppendedError(reply: string): { text: string; code?: ErrorCode } {
  const code = errorCodes.find((each) => reply.endsWith(formatAppendedError(each)));
  return code === undefined ? { text: reply } : { text: reply.slice(0, -formatAppendedError(code).length), code };
}

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}
