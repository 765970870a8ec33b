import { registry, toJSONSchema, z } from 'zod';
import { cookieBaseName, cookieName } from '../server/auth/cookie-names.ts';
import { demoRequestSchema, liveRequestSchema, messageSchema, textBlockSchema } from '../shared/chat-requests.ts';
import { demoErrorCodes, errorCodes, formatAppendedError } from '../shared/errors.ts';
import { promptVersion } from '../shared/interface.ts';
import { joinQuestionSchema, joinRequestSchema, organizationSchema } from '../shared/join.ts';
import { fieldErrorsSchema, joiningSchema, onboardingSchema } from '../shared/onboarding.ts';
import { providerNames, sessionSchema, signInProblems, userSchema } from '../shared/session.ts';

/* What the routes of openapi.yaml share: the schemas of `shared`, by name and with what a person says of them, and the headers. */

const listed = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(', ');
const conversationId = z.string().regex(/^c[0-9a-z]{24}$/);
const { messages } = liveRequestSchema.shape;

const providerName = sessionSchema.shape.providers.def.element;

/** A first member describes the organization; a body of either kind has these fields. */
const onboardingForm = z.object({
  ...joiningSchema.shape,
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
  JoinRequest: joinRequestSchema,
  JoinQuestion: joinQuestionSchema,
  NamedOrganization: organizationSchema,
  ProviderName: providerName,
  SignInProblem: z.enum(Object.keys(signInProblems)),
  Session: sessionSchema,
  User: userSchema,
  OnboardingForm: onboardingForm,
  FieldErrors: fieldErrorsSchema,
  Health: z.object({ status: z.literal('ok') }),
  Readiness: z.object({ ready: z.boolean(), draining: z.boolean() }),
};

/** What there is to say of a schema, and of a field of one. */
const said: [z.core.$ZodType, string, object?][] = [
  [
    schemas.ErrorCode,
    `What an error's text begins with, up to the colon. Demo chat sends only ${listed(demoErrorCodes)}. \`x-error-codes\` of an answer has those that come with it.`,
  ],
  [conversationId, '', { example: 'ci7ya6b1mv79h6atdckfjynme' }],
  [
    messages,
    'The conversation so far, the newest message last and from the `user`, which a schema cannot say. The service does not rebuild history.',
  ],
  [liveRequestSchema, 'Unknown fields are dropped.'],
  [
    liveRequestSchema.shape.conversationId,
    'The id of a conversation of the caller. The turn is appended to this conversation. With an unknown id, or that of another person, the service begins a new conversation without an error. A value that is not a string does the same, but no client should send it.',
    { examples: ['ci7ya6b1mv79h6atdckfjynme'] },
  ],
  [
    schemas.Reply,
    `The text of the reply, in Markdown: one chunk for each piece as the model writes it, with no envelope and no framing. A reply that fails after its first text keeps its status. It then ends with a blank line and this line, after which nothing comes, and the response ends normally: \`${formatAppendedError('UPSTREAM_ERROR').trim()}\`. Only a reply that ends with exactly these characters has failed. A connection that breaks without this line was cut on the way.`,
  ],
  [
    schemas.ErrorText,
    'An `ErrorCode`, a colon, a blank and a sentence, without a line end. The sentence is for people, and may say more than it does in the examples.',
  ],
  [schemas.HttpRefusal, 'A sentence without a code, and a line end.'],
  [joinRequestSchema.shape.invitation, 'The token of the invitation.'],
  [joinRequestSchema.shape.from, 'The id of the organization that the person leaves.'],
  [joinRequestSchema.shape.to, 'The id of the organization that the person joins. Without both ids nobody joins.'],
  [
    joinQuestionSchema.shape.to,
    'Null where the invitation names no organization. The same as `from` where there is nothing to ask.',
  ],
  [schemas.SignInProblem, 'Why a sign-in came back without a session. The sign-in page has a sentence for each.'],
  [sessionSchema.shape.user, 'Null where nobody is signed in.'],
  [sessionSchema.shape.providers, 'With whom one can sign in here.'],
  [userSchema.shape.name, 'Null where the provider names none.'],
  [userSchema.shape.email, 'Null where the provider names none.'],
  [userSchema.shape.onboarded, 'Live chat is for those who are.'],
  [
    userSchema.shape.organization.shape.shared,
    'There only where the person is not onboarded and others are in the organization: then its description is not theirs to give.',
  ],
  [
    onboardingForm,
    'Texts are trimmed, and then have at least one character, and at most as many as it says here, in UTF-16 code units. Unknown fields are dropped.',
  ],
  [
    onboardingForm.shape.company,
    "Required, unless the person's organization has other members. Then it is dropped, whatever it is.",
  ],
  [fieldErrorsSchema, 'A sentence for each field at fault, by its dotted path. The path of the whole form is empty.'],
];

/** The schemas as JSON Schema; one that is part of another is a reference. */
export function schemaComponents(): Record<string, object> {
  const known = registry<{ id?: string; description?: string }>();
  const ids = new Map(Object.entries(schemas).map(([id, schema]): [z.core.$ZodType, string] => [schema, id]));
  for (const [schema, id] of ids) known.add(schema, { id });
  for (const [schema, description, more] of said) {
    const id = ids.get(schema);
    known.add(schema, { ...(id !== undefined && { id }), ...(description !== '' && { description }), ...more });
  }
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas: generated } = toJSONSchema(known, {
    metadata: known,
    io: 'input',
    uri,
    // Some generators take a field with a default for one that is always there.
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
const aConversation = { $ref: '#/components/schemas/ConversationId' };

export const headers = {
  RequestId: header(
    true,
    { ...text, minLength: 1 },
    "The value that was sent, else a ULID. The service's log has it.",
    '01M7YH5HQYSF4KX2RHWVZVB3EN',
  ),
  ConversationId: header(true, aConversation, 'The conversation that the turn was appended to.'),
  StoredConversationId: header(
    false,
    aConversation,
    'The conversation that has the question already, where the turn failed after it was stored. A retry names it, with the same `X-Request-Id`.',
  ),
  PromptVersion: header(
    true,
    { ...text, pattern: '^\\d+\\.\\d+\\.\\d+$' },
    "The version of the system prompt's schema. It may be raised at any time; a client does not depend on it.",
    promptVersion,
  ),
  CacheControl: header(true, { const: 'no-cache, no-transform' }),
  NoStore: header(true, { const: 'no-store' }),
  Unbuffered: header(true, { const: 'no' }, 'Asks a proxy not to buffer.'),
  RenewedSession: header(
    false,
    text,
    'The session cookie with its full lifetime again, once a day; on an error too where one comes then.',
  ),
  EndedSession: header(true, text, 'The session cookie, which the browser now drops.'),
  Attempt: header(false, text, 'A cookie of this attempt to sign in, on the way to the provider.'),
  BegunSession: header(
    true,
    text,
    'The cookie of the attempt, which the browser now drops, and that of the session where the person is let in.',
  ),
  FaultNoStore: header(false, { const: 'no-store' }, 'Where a success has it.'),
  FaultCookie: header(false, text, 'What a success would have set, as far as it had come.'),
  Location: {
    ...header(
      true,
      { ...text, minLength: 1 },
      'A path of this site, or an address at the provider. That of the sign-in page has the parameter `problem`, which is one of `SignInProblem`.',
      '/chat',
    ),
    'x-problem': { $ref: '#/components/schemas/SignInProblem' },
  },
  Allow: header(true, { const: 'POST' }),
  RetryAfter: header(
    true,
    { type: 'integer', minimum: 1 },
    'Whole seconds until the next request is admitted. On no other status than 429.',
    42,
  ),
};

export const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName(cookieBaseName, true),
    description:
      'Set when somebody signs in with a browser, by OAuth with one of the providers. It lasts 30 days and is renewed once a day while it is used, for 90 days at the most. It ends at once when the person signs out, on this device or on all, and when an operator suspends them. There is no other way to get one.',
  },
  developmentSession: {
    type: 'apiKey',
    in: 'cookie',
    name: cookieName(cookieBaseName, false),
    description: 'The same cookie where the service is reached by plain HTTP, on the machine of a developer.',
  },
};

export const parameters = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    required: false,
    description:
      "The client's own id of this request, echoed as it was sent. A retry of a turn repeats it: where id and question are those of the last, unanswered question of the conversation that it names, the question is not stored again.",
    schema: text,
    example: 'turn-1',
  },
  Provider: {
    name: 'provider',
    in: 'path',
    required: true,
    description: 'Who knows the person.',
    schema: { $ref: '#/components/schemas/ProviderName' },
    example: providerNames[0],
  },
};
