import { registry, toJSONSchema, z } from 'zod';
import { sessionCookie } from '../server/auth/sessions.ts';
import { demoRequestSchema, liveRequestSchema, messageSchema, textBlockSchema } from '../shared/chat-requests.ts';
import { demoErrorCodes, errorCodes, formatAppendedError } from '../shared/errors.ts';
import { promptVersion } from '../shared/interface.ts';
import { joinQuestionSchema, joinRequestSchema, organizationSchema } from '../shared/join.ts';
import { fieldSentencesSchema, memberOnboardingSchema, onboardingSchema } from '../shared/onboarding.ts';
import { providerNames, sessionSchema, signInProblems, userSchema } from '../shared/session.ts';

/* The components of openapi.yaml: the schemas of `shared` with names and descriptions, headers and parameters. */

const listed = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(', ');
const conversationId = z.string().regex(/^c[0-9a-z]{24}$/);
const { messages } = liveRequestSchema.shape;

const providerName = z.enum(providerNames);

/** Combines the form of an organization's first member with that of a further member, which has no company. */
const onboardingForm = z.object({
  ...memberOnboardingSchema.shape,
  company: z.optional(onboardingSchema.shape.company),
});

export const schemas = {
  ErrorCode: z.enum(errorCodes),
  ConversationId: conversationId,
  Message: messageSchema,
  TextBlock: textBlockSchema,
  Messages: messages,
  LiveRequest: liveRequestSchema,
  DemoRequest: demoRequestSchema,
  Reply: z.string(),
  ErrorText: z.string().regex(new RegExp(`^(${errorCodes.join('|')}): .+\\.$`)),
  HttpRefusal: z.string().regex(/^[^:]+\.\n$/),
  Redirect: z.string().regex(/^(.*<p>)?Found\. Redirecting to [^\s<]+(<\/p>.*)?$/),
  JoinRequest: joinRequestSchema,
  JoinQuestion: joinQuestionSchema,
  NamedOrganization: organizationSchema,
  ProviderName: providerName,
  SignInProblem: z.enum(Object.keys(signInProblems)),
  Session: sessionSchema,
  User: userSchema,
  OnboardingForm: onboardingForm,
  FieldErrors: fieldSentencesSchema,
  Health: z.object({ status: z.literal('ok') }),
  Readiness: z.object({ ready: z.boolean(), draining: z.boolean() }),
};

const descriptions: [z.core.$ZodType, string, object?][] = [
  [
    schemas.ErrorCode,
    `The text of an error up to the first colon. Demo chat sends only ${listed(demoErrorCodes)}. \`x-error-codes\` of a response lists its codes.`,
  ],
  [conversationId, '', { example: 'ci7ya6b1mv79h6atdckfjynme' }],
  [
    messages,
    'The complete conversation, oldest message first. The last message must be from the `user`, which the schema cannot express. The service adds no history.',
  ],
  [liveRequestSchema, 'Unknown fields are ignored.'],
  [
    liveRequestSchema.shape.conversationId,
    'The id of a conversation of the caller. The turn is appended to it. If the id is unknown, belongs to another user or is not a string, the service starts a new conversation without an error.',
    { examples: ['ci7ya6b1mv79h6atdckfjynme'] },
  ],
  [
    schemas.Reply,
    `The text of the reply in Markdown, one chunk per delta of the model, without an envelope or framing. If a reply fails after its first text, its status stays 200 and the response ends normally with a blank line and this line: \`${formatAppendedError('UPSTREAM_ERROR').trim()}\`. Only a reply that ends with exactly these characters has failed. If the connection breaks without this line, the reply was cut in transit.`,
  ],
  [
    schemas.ErrorText,
    'An `ErrorCode`, a colon, a space and a sentence, without a line end. The sentence is for people and can differ from the examples.',
  ],
  [schemas.HttpRefusal, 'A sentence and a line end, without a code.'],
  [schemas.Redirect, 'Repeats the address in the media type that `Accept` prefers. Absent if `Accept` admits neither.'],
  [joinRequestSchema.shape.invitation, 'The token of the invitation.'],
  [joinRequestSchema.shape.from, 'The id of the organization that the user leaves.'],
  [
    joinRequestSchema.shape.to,
    'The id of the organization that the user joins. Without both ids the request changes nothing.',
  ],
  [
    joinQuestionSchema.shape.to,
    'Null if the invitation names no organization. The same as `from` if the user is already a member.',
  ],
  [
    schemas.SignInProblem,
    'The reason why a sign-in ended without a session. The sign-in page has a sentence for each.',
  ],
  [sessionSchema.shape.user, 'Null if no one is signed in.'],
  [
    sessionSchema.shape.providers,
    'The configured sign-in providers, each a `ProviderName`. The list of names can grow: ignore a name that you do not know.',
  ],
  [userSchema.shape.name, 'Null if the provider returns none.'],
  [userSchema.shape.email, 'Null if the provider returns none.'],
  [userSchema.shape.onboarded, 'Live chat requires an onboarded user.'],
  [
    userSchema.shape.organization.shape.shared,
    'Present only if the user is not onboarded and the organization has other members. The user then cannot describe it.',
  ],
  [
    onboardingForm,
    'Texts are trimmed. Lengths are in UTF-16 code units after trimming, and at least 1. Unknown fields are ignored.',
  ],
  [
    onboardingForm.shape.company,
    "Required, unless the user's organization has other members. In that case it is ignored.",
  ],
  [
    fieldSentencesSchema,
    'A sentence for each invalid field, keyed by its dotted path. The path of the form itself is empty.',
  ],
];

/** Converts the schemas to JSON Schema. Nested schemas with a name become references. */
export function schemaComponents(): Record<string, object> {
  const known = registry<{ id?: string; description?: string }>();
  const ids = new Map(Object.entries(schemas).map(([id, schema]): [z.core.$ZodType, string] => [schema, id]));
  for (const [schema, id] of ids) known.add(schema, { id });
  for (const [schema, description, more] of descriptions) {
    const id = ids.get(schema);
    known.add(schema, { ...(id !== undefined && { id }), ...(description !== '' && { description }), ...more });
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas: generated } = toJSONSchema(known, {
    metadata: known,
    io: 'input',
    uri,
    // Some generators treat a field with a default as required.
    override: ({ jsonSchema }) => void delete jsonSchema.default,
  });
  return Object.fromEntries(
    Object.keys(schemas).map((id) => {
      const { $id: _, $schema: __, ...schema } = generated[id] ?? {};
      return [id, schema];
    }),
  );
}

const header = (required: boolean, schema: object, description?: string, example?: unknown) => ({
  required,
  ...(description !== undefined && { description }),
  schema,
  ...(example !== undefined && { example }),
});
const text = { type: 'string' };
const conversationReference = { $ref: '#/components/schemas/ConversationId' };

export const headers = {
  RequestId: header(
    true,
    { ...text, minLength: 1 },
    "The value of the request, or a ULID. The service's log contains it.",
    '01M7YH5HQYSF4KX2RHWVZVB3EN',
  ),
  ConversationId: header(true, conversationReference, 'The conversation that the turn was appended to.'),
  StoredConversationId: header(
    false,
    conversationReference,
    'The conversation in which the question is stored, if the turn failed after that. Send it with the retry, and the same `X-Request-Id`.',
  ),
  PromptVersion: header(
    true,
    { ...text, pattern: '^\\d+\\.\\d+\\.\\d+$' },
    "The version of the system prompt's schema. It can change at any time; clients must not depend on it.",
    promptVersion,
  ),
  CacheControl: header(true, { const: 'no-cache, no-transform' }),
  NoStore: header(true, { const: 'no-store' }),
  Unbuffered: header(true, { const: 'no' }, 'Asks a proxy not to buffer.'),
  RenewedSession: header(false, text, 'The session cookie with a renewed lifetime, once a day, also on errors.'),
  EndedSession: header(true, text, 'Deletes the session cookie.'),
  Attempt: header(false, text, 'A cookie for this sign-in attempt.'),
  NewSession: header(
    false,
    text,
    "Deletes the cookie of the callback's attempt, and sets the session cookie if the sign-in succeeded. Absent if the browser has no such attempt.",
  ),
  FaultNoStore: header(false, { const: 'no-store' }, 'Present if a success of the route has it.'),
  FaultCookie: header(false, text, 'The cookies that were set before the fault.'),
  Location: {
    ...header(
      true,
      { ...text, minLength: 1 },
      'A path of this site, or a URL of the provider. The sign-in page gets the parameter `problem`, one of `SignInProblem`.',
      '/chat',
    ),
    'x-problem': { $ref: '#/components/schemas/SignInProblem' },
  },
  Allow: header(true, { const: 'POST' }),
  RetryAfter: header(
    true,
    { type: 'integer', minimum: 1 },
    'Whole seconds until the next request is admitted. Sent only with 429.',
    42,
  ),
};

export const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie('https://chat.example.com').name,
    description:
      'Set when a user signs in with a browser through one of the OAuth providers, which is the only way to obtain it. It lasts 30 days and is renewed once a day while it is used, for at most 90 days. It ends immediately when the user signs out, on this device or on all, and when an operator suspends them.',
  },
  developmentSession: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie('http://localhost:3000').name,
    description: 'The same cookie of a development instance over plain HTTP. Its name ends with the port.',
  },
};

export const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      'An id that the client chooses, returned unchanged. Repeat it when you retry a turn: if id and question match the last, unanswered question of the conversation, the service does not store the question again.',
    schema: text,
    example: 'turn-1',
  },
  Provider: {
    name: 'provider',
    in: 'path',
    required: true,
    description: 'The sign-in provider.',
    schema: { $ref: '#/components/schemas/ProviderName' },
    example: providerNames[0],
  },
};
