import { STATUS_CODES } from 'node:http';
import { stringify } from 'yaml';
import { loadConfig } from '../server/config/config.ts';
import { type ErrorCode, errorGuide, errors } from '../shared/errors.ts';
import { headers as headerNames, interfaceVersion, limits } from '../shared/interface.ts';
import { codeByStatus, maxAttempts, maxUnattendedWaitSeconds } from '../shared/retry.ts';
import { providerNames } from '../shared/session.ts';
import { exampleError, refusals } from './answers.ts';
import { headers, parameters, schemaComponents, securitySchemes } from './components.ts';
import { type Operation, operationsOf } from './routes.ts';

const { maxBodyBytes, maxMessages, port } = loadConfig({});

const description = [
  "A conversational assistant for organizations in a structured advisory engagement. **Two routes are its interface**: demo chat for anyone, live chat with the session cookie of a signed-in, onboarded user. Each request streams one reply as plain text. The guide beside this file, `interface.md`, is for people who write a client. The other routes are there so that people can sign in, and for balancers and browsers. The pages, their assets and the operator's own port (`METRICS_PORT`) are not described here. The service is reached over HTTPS only: a development instance alone speaks plain HTTP, to its own machine.",
  "**Every response**, of whatever kind, carries `X-Request-Id`: the value that was sent, else a ULID. A request that cannot be read as HTTP, its headers included, is answered with a ULID in any case. Beside what is listed here a response has HTTP's own headers and those that harden browsers, such as `Content-Security-Policy`. Every text and every JSON is UTF-8, and `Content-Type` says so: `text/plain; charset=utf-8`.",
  "**Errors** are plain text, `CODE: sentence`, with the status of the code. `ErrorCode` lists the codes. A client decides by the code; where it is none that the client knows, by the status. Refusals that are HTTP's own are a sentence without a code, and a line end.",
  '**Addresses** are matched exactly: with a slash at its end, or in other case, an address is another one, and 404. Paths carry no version prefix. There are no API keys, no client credentials, no webhooks.',
  '**Planned, not callable**, and so absent from `paths`: `GET /api/conversations`, `GET /api/conversations/:id/messages`, `POST /api/conversations/:id/archive`, `GET /api/engagement` and `POST /api/onboarding`, with the codes `VALIDATION_FAILED` and `CONVERSATION_NOT_FOUND`; the typed event stream of version 1.1 (`text/event-stream` with `meta`, `text` and `done`); the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, and `Retry-After` on 503.',
].join('\n\n');

/** All that a client needs to know about retries, as data. A retry is the same request: the same body and \`X-Request-Id\`. */
export const retryPolicy = {
  description:
    '`codes` has a rule for each code. `attempts` counts the first. `delaysSeconds` has the wait after each failure with this code; `retry-after`: as many seconds as the header `Retry-After` of the latest response says. Failures with different codes are counted each by its own rule, and the latest code decides. `mostAttempts`: a turn is never sent more often, whatever mixture of failures it meets. `longestUnattendedWaitSeconds`: a longer `Retry-After`, or a missing one, is not waited out. `stopsOthers`: until the wait is over every other question of the person would fail too. `codesByStatus`: what a response without one of the codes counts as; with another status it is not retried.',
  mostAttempts: maxAttempts,
  longestUnattendedWaitSeconds: maxUnattendedWaitSeconds,
  codesByStatus: Object.fromEntries(codeByStatus),
  afterFirstText: 'do not retry',
  brokenConnection: 'do not retry',
  codes: Object.fromEntries(Object.entries(errors).map(([code, { status, retry }]) => [code, { status, ...retry }])),
};

export const operations = operationsOf(providerNames);

export const limitOf = ({ path }: Operation) => Object.values(limits).find((limit) => limit.path === path);

const unlinked = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
const component = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const media = (type: string, schemas: readonly string[], examples: object) => ({
  [type]: {
    schema:
      schemas.length === 1
        ? component('schemas', schemas[0] ?? '')
        : { anyOf: schemas.map((name) => component('schemas', name)) },
    examples,
  },
});

type Refused = { status: number; name: string; when: string; value: unknown; code?: ErrorCode; schema?: string };

/** Every answer of an operation that is no success, as the tables have them. */
function refusedBy(operation: Operation): Refused[] {
  const { codes, sentences = {}, refusals: names, own = {}, model } = operation;
  const limit = limitOf(operation);
  const ofLimit = limit !== undefined && !codes.includes('RATE_LIMITED') ? (['RATE_LIMITED'] as const) : [];
  const ofCode = (name: string, code: ErrorCode, when: string, sentence?: string) => ({
    status: errors[code].status,
    name,
    code,
    when,
    value: exampleError(code, sentence),
  });
  return [
    ...[...codes, ...ofLimit].map((code) => {
      const { when, elsewhere = when } = errorGuide[code];
      const sentence = code === 'RATE_LIMITED' && limit && 'sentence' in limit ? limit.sentence : undefined;
      return ofCode(code, code, model ? when : elsewhere, sentence);
    }),
    ...Object.entries(sentences).map(([name, { code, when, sentence }]) => ofCode(name, code, when, sentence)),
    ...names.map((name) => ({ ...refusals[name], name, value: `${refusals[name].sentence}\n` })),
    ...Object.entries(own).map(([name, each]) => ({ ...each, name })),
  ];
}

/** What only some answers have beside `X-Request-Id`. */
function headersOf({ session, id }: Operation, status: number, codes: readonly ErrorCode[]) {
  const questionStored = codes.some((code) => errorGuide[code].questionStored);
  return {
    ...(status === 405 && { Allow: 'Allow' }),
    ...(status === 429 && { 'Retry-After': 'RetryAfter' }),
    ...(id === 'liveChat' && questionStored && { [headerNames.conversationId]: 'StoredConversationId' }),
    ...(session && { 'Set-Cookie': 'RenewedSession' }),
    ...(status === 500 && { 'Cache-Control': 'FaultNoStore', 'Set-Cookie': 'FaultCookie' }),
  };
}

const answer = (description: string, headerRows: Record<string, string>, content?: object) => ({
  description,
  headers: Object.fromEntries(
    Object.entries({ [headerNames.requestId]: 'RequestId', ...headerRows }).map(([name, header]) => [
      name,
      component('headers', header),
    ]),
  ),
  ...(content !== undefined && { content }),
});

/** One sentence, or several as a Markdown list. */
function listed(sentences: readonly string[]): string {
  return sentences.length === 1 ? sentences.join('') : sentences.map((sentence) => `- ${sentence}`).join('\n');
}

/** The answers of one status together: its schema is that of errors, of HTTP's refusals, or either. */
function refusalAnswer(operation: Operation, status: number, refused: readonly Refused[]) {
  const codes = [...new Set(refused.flatMap(({ code }) => code ?? []))];
  const schemas = [...new Set(refused.map(({ code, schema }) => schema ?? (code ? 'ErrorText' : 'HttpRefusal')))];
  const told = refused.map(({ code, name, when }) => (code === name ? `\`${code}\`: ${when}` : when));
  const examples = refused.map(({ name, when, value }) => [name, { summary: unlinked(when), value }]);
  const type = schemas.includes('FieldErrors') ? 'application/json' : 'text/plain';
  return {
    ...answer(
      unlinked(listed([...new Set(told)])),
      headersOf(operation, status, codes),
      media(type, schemas, Object.fromEntries(examples)),
    ),
    ...(codes.length > 0 && { 'x-error-codes': codes }),
  };
}

function described(operation: Operation) {
  const { id, tag, summary, description, session, model, query = [], body, success, path } = operation;
  const limit = limitOf(operation);
  const cookie = [{ developmentSession: [] }, { session: [] }];
  const byStatus = Map.groupBy(refusedBy(operation), ({ status }) => status);
  const answers: [number, object][] = [
    ...Object.entries(success).map(
      ([status, { description, headers = {}, type, schema, examples = {} }]): [number, object] => [
        Number(status),
        answer(
          description,
          { ...(session && { 'Set-Cookie': 'RenewedSession' }), ...headers },
          type && schema && media(type, [schema], examples),
        ),
      ],
    ),
    ...[...byStatus].map(([status, refused]): [number, object] => [status, refusalAnswer(operation, status, refused)]),
  ];
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    security: session === undefined ? [] : [...cookie, ...(session === 'welcome' ? [{}] : [])],
    ...(limit && {
      'x-limit': { countedBy: limit.countedBy, requests: limit.requests, windowSeconds: limit.windowSeconds },
    }),
    ...(model && { 'x-model': model }),
    parameters: [
      ...(path.includes('{provider}') ? [component('parameters', 'Provider')] : []),
      ...query.map((parameter) => ({ ...parameter, in: 'query', schema: { type: 'string' } })),
      component('parameters', 'RequestId'),
    ],
    ...(body && {
      requestBody: {
        required: Object.values(body).every(({ required }) => required),
        ...('application/json' in body && {
          description:
            'A JSON media type (`application/json`, `application/*+json`) in UTF-8; another type or charset is `INVALID_JSON`.',
        }),
        content: Object.assign(
          {},
          ...Object.entries(body).map(([type, { schema, examples }]) => media(type, [schema], examples)),
        ),
      },
    }),
    responses: Object.fromEntries(answers.toSorted(([one], [other]) => one - other)),
  };
}

/** Moves the answers that several operations share into components, and makes the operations refer to them. */
function sharedAnswers(paths: Record<string, { responses: Record<string, object> }>): Record<string, object> {
  const all = Object.entries(paths).flatMap(([path, { responses }]) =>
    Object.entries(responses).map((entry) => ({ path, responses, entry })),
  );
  const alike = Map.groupBy(all, ({ entry: [status, answered] }) => status + JSON.stringify(answered));
  const shared: Record<string, object> = {};
  for (const uses of alike.values()) {
    const [status, answered] = uses[0]?.entry ?? ['', {}];
    if (uses.length === 1) continue;
    const users = uses.map(({ path }) => path);
    const name = `${groupOf(users)}${STATUS_CODES[status]?.replaceAll(/\W/g, '') ?? status}`;
    if (name in shared) throw new Error(`Two shared answers are called ${name}.`);
    shared[name] = answered;
    for (const { responses } of uses) responses[status] = component('responses', name);
  }
  return shared;
}

/** Groups of operations that answer alike, the smallest first: an answer is named after the first group that has all its users. */
const answerGroups: readonly [name: string, (operation: Operation) => boolean][] = [
  ['Service', ({ tag }) => tag === 'Service'],
  ['SignInRedirect', ({ success }) => success[302] !== undefined],
  ['Form', ({ tag, body }) => tag === 'Sign-in' && body !== undefined],
  ['Session', ({ session }) => session !== undefined],
  ['', () => true],
];

function groupOf(paths: readonly string[]): string {
  const users = operations.filter(({ path }) => paths.includes(path));
  return answerGroups.find(([, has]) => users.every(has))?.[0] ?? '';
}

/** docs/openapi.yaml. */
export function renderOpenapi(): string {
  const unknown = Object.values(limits).find(({ path }) => !operations.some((operation) => operation.path === path));
  if (unknown !== undefined) throw new Error(`docs/routes.ts does not describe ${unknown.path}, which has a limit.`);
  const paths = Object.fromEntries(operations.map((operation) => [operation.path, described(operation)]));
  const responses = sharedAnswers(paths);
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Advisory Chat',
      version: interfaceVersion,
      contact: { name: 'The operator of the instance' },
      license: { name: 'MIT', identifier: 'MIT' },
      description,
    },
    servers: [
      { url: `http://localhost:${port}`, description: 'Development' },
      // A description of the variable makes orval complain.
      { url: 'https://{host}', description: 'Deployed', variables: { host: { default: 'chat.example.com' } } },
    ],
    tags: [
      { name: 'Chat', description: 'The interface.' },
      {
        name: 'Sign-in',
        description: 'How a browser gets the session cookie, and gives it up. Other front ends can use it as well.',
      },
      { name: 'Service', description: 'What balancers ask.' },
    ],
    // Within a text, where no schema reaches.
    'x-error-code': component('schemas', 'ErrorCode'),
    'x-retry-policy': retryPolicy,
    'x-max-body-bytes': maxBodyBytes,
    'x-max-messages': maxMessages,
    paths: Object.fromEntries(operations.map(({ path, method }) => [path, { [method]: paths[path] }])),
    components: { securitySchemes, parameters, headers, responses, schemas: schemaComponents() },
  };
  const written = '# Written by `npm run docs`.\n';
  return (
    written +
    stringify(document, {
      aliasDuplicateObjects: false,
      lineWidth: 120,
      singleQuote: true,
      // Readers of YAML 1.1 take an unquoted `no` for false.
      compat: 'yaml-1.1',
    })
  );
}
