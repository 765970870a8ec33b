/**
 * The specification's error table: every code that the service may send, its HTTP status and its public sentence.
 * Codes of surfaces that are only planned (`VALIDATION_FAILED`, `CONVERSATION_NOT_FOUND`) are absent: nothing sends them.
 */
export const errors = {
  INVALID_JSON: { status: 400, sentence: 'The request body is not valid JSON.' },
  MISSING_MESSAGES: {
    status: 400,
    sentence: 'Send "messages": a non-empty array of { "role", "content" } objects.',
  },
  LAST_MESSAGE_NOT_USER: { status: 400, sentence: 'The last message must have the role "user".' },
  UNAUTHENTICATED: { status: 401, sentence: 'Sign in to continue.' },
  NOT_ONBOARDED: { status: 403, sentence: 'Complete onboarding to continue.' },
  RATE_LIMITED: { status: 429, sentence: 'Too many requests.' },
  UPSTREAM_OVERLOADED: { status: 503, sentence: 'The model is busy right now. Try again shortly.' },
  UPSTREAM_AUTH: {
    status: 500,
    sentence: 'The model provider is not set up correctly. An operator has to look at this.',
  },
  UPSTREAM_BAD_REQUEST: { status: 400, sentence: 'The model did not accept this request.' },
  UPSTREAM_ERROR: { status: 502, sentence: 'The model could not finish the reply.' },
  INTERNAL: { status: 500, sentence: 'Something went wrong on our side.' },
} as const satisfies Record<string, { status: number; sentence: string }>;

export type ErrorCode = keyof typeof errors;

/** What `UPSTREAM_OVERLOADED` says where it is this service, not the model, that has no room: in all, for demo chat, for one person. */
export const fullSentences = {
  service: 'The service is full right now. Try again shortly.',
  demo: 'Demo chat is full right now. Try again shortly.',
  user: 'You have too many replies under way. Try again when one has ended.',
} as const;

/** What `RATE_LIMITED` says, before the wait, where it is a network that has sent too much. */
export const tooManySignInsSentence = 'Too many sign-in attempts from your network.';
export const tooManyFormsSentence = 'Too many onboarding forms from your network.';
/** What `RATE_LIMITED` says where a day's budget of tokens is used up, by whose it is. */
export const budgetSentences = {
  user: 'Your daily budget of tokens is used up.',
  organization: "Your organization's daily budget of tokens is used up.",
  demo: "Demo chat's daily budget of tokens is used up.",
} as const;

export type BudgetOwner = keyof typeof budgetSentences;

/** The only codes that demo chat may answer with. */
export const demoErrorCodes: readonly ErrorCode[] = [
  'INVALID_JSON',
  'MISSING_MESSAGES',
  'RATE_LIMITED',
  'UPSTREAM_OVERLOADED',
  'UPSTREAM_ERROR',
];

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
export function formatError(code: ErrorCode, retryAfterSeconds?: number): string {
  return `${code}: ${errorSentence(code, retryAfterSeconds)}`;
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
