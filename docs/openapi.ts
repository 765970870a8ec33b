import { STATUS_CODES } from 'node:http';
import { stringify } from 'yaml';
import { loadConfig } from '../server/config/config.ts';
import { bodyLimits } from '../shared/body-limits.ts';
import { maxMessages } from '../shared/chat-requests.ts';
import { capacitySentences, type ErrorCode, errorCodes, errors } from '../shared/errors.ts';
import { headers as headerNames, interfaceVersion } from '../shared/interface.ts';
import { codeByStatus, maxAttempts, maxRetryAfterSeconds, maxUnattendedWaitSeconds } from '../shared/retry.ts';
import { limits, type RouteName, routeTable } from '../shared/route-table.ts';
import { providerNames } from '../shared/session.ts';
import { headers, parameters, schemaComponents, securitySchemes } from './components.ts';
import { errorGuide, exampleError, refusals, retryPolicyOf } from './documented-errors.ts';
import { descriptionsOf, type Operation } from './routes.ts';

const { maxBodyBytes, port } = loadConfig({});

const description = [
  "A conversational assistant for organizations in a structured advisory engagement. **It has two chat routes**: demo chat is public, live chat needs the session cookie of a signed-in, onboarded user. Each request streams one reply as plain text. The other routes are for sign-in and for load balancers. If you write a client, read the guide `interface.md` beside this file. The pages, their assets and the operator's port (`METRICS_PORT`) are not described here. The service accepts only HTTPS; a development instance also accepts plain HTTP from its own machine.",
  '**Every response** has `X-Request-Id`: the value of the request, or a ULID if it has none or cannot be parsed as HTTP. Responses also have standard HTTP headers and security headers, such as `Content-Security-Policy`, which are not listed here. Text and JSON are UTF-8, and `Content-Type` says so, as in `text/plain; charset=utf-8`.',
  '**Errors** are plain text, `CODE: sentence`, with the status of the code. `ErrorCode` lists the codes. A client decides by the code, or by the status if it does not know the code. Refusals at the level of HTTP are a sentence without a code, followed by a line end.',
  '**Paths** are matched exactly: a trailing slash or a different case results in 404. They have no version prefix. There are no API keys, no client credentials, no webhooks.',
  '**Planned, but not available**, and therefore absent from `paths`: `GET /api/conversations`, `GET /api/conversations/:id/messages`, `POST /api/conversations/:id/archive`, `GET /api/engagement` and `POST /api/onboarding`, with the codes `VALIDATION_FAILED` and `CONVERSATION_NOT_FOUND`; the typed event stream of version 1.1 (`text/event-stream` with `meta`, `text` and `done`); the headers `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`, and `Retry-After` on 503.',
].join('\n\n');

/** The retry rules as data. A retry repeats the body and the `X-Request-Id`. */
export const retryPolicy = {
  description:
    '`codes` has a rule for each code. `attempts` includes the first attempt. `delaysSeconds` has the wait after each failure with this code; `retry-after` means the seconds in the `Retry-After` header of the latest response. Each code counts its own failures, and the latest code decides the wait. `mostAttempts` is the maximum number of attempts of a turn, with any mixture of failures. `longestUnattendedWaitSeconds`: if `Retry-After` is longer or missing, do not wait automatically. `longestRetryAfterSeconds`: a longer `Retry-After` counts as missing. `startsCooldown`: until the wait has ended, every other question of the user would fail too. `codesByStatus`: the code for an error without a known code; with any other status, do not retry.',
  mostAttempts: maxAttempts,
  longestUnattendedWaitSeconds: maxUnattendedWaitSeconds,
  longestRetryAfterSeconds: maxRetryAfterSeconds,
  codesByStatus: Object.fromEntries(codeByStatus),
  afterFirstText: 'do not retry',
  brokenConnection: 'do not retry',
  codes: Object.fromEntries(
    errorCodes.map((code) => {
      const { status, retry } = errors[code];
      return [code, { status, ...retry, policy: retryPolicyOf(code) }];
    }),
  ),
};

const descriptions = descriptionsOf(providerNames);
export const operations = (Object.keys(routeTable) as RouteName[]).map(
  (name): Operation => ({ ...routeTable[name], ...descriptions[name] }),
);

export const limitOf = ({ limit }: Operation) => limit && limits[limit];

const unlinked = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
const component = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const media = (type: string, schemas: readonly string[], examples: object): Record<string, object> => ({
  [type]: {
    schema:
      schemas.length === 1
        ? component('schemas', schemas[0] ?? '')
        : { anyOf: schemas.map((name) => component('schemas', name)) },
    ...(Object.keys(examples).length > 0 && { examples }),
  },
});

type ErrorResponse = { status: number; name: string; when: string; value: unknown; code?: ErrorCode; schema?: string };

/** The sentences of each route that reads a body. */
const sentencesOfBody: Operation['sentences'] = {
  'bodies-full': {
    code: 'UPSTREAM_OVERLOADED',
    when: 'The request bodies that are arriving at this process have used up the memory for them. The connection is closed.',
    sentence: capacitySentences.bodies,
  },
  'body-share-full': {
    code: 'UPSTREAM_OVERLOADED',
    when: 'The request bodies arriving from this user, or from this address, have used up their share of the memory. The connection is closed.',
    sentence: capacitySentences.share,
  },
};

const codesOfAccess: Record<Operation['access'], readonly ErrorCode[]> = {
  public: [],
  session: [],
  user: ['UNAUTHENTICATED'],
  onboarded: ['UNAUTHENTICATED', 'NOT_ONBOARDED'],
};

function errorResponsesOf(operation: Operation): ErrorResponse[] {
  const { method, access, maxBodyBytes, refusals: names, own = {}, model } = operation;
  const sentences = { ...operation.sentences, ...(maxBodyBytes !== undefined && sentencesOfBody) };
  const limit = limitOf(operation);
  const codes = new Set<ErrorCode>([
    ...codesOfAccess[access],
    ...(maxBodyBytes === undefined ? [] : (['INVALID_JSON'] as const)),
    ...operation.codes,
    ...(limit === undefined ? [] : (['RATE_LIMITED'] as const)),
  ]);
  const ofMethod = method === 'GET' ? [] : (['other-site'] as const);
  const ofCode = (name: string, code: ErrorCode, when: string, sentence?: string) => ({
    status: errors[code].status,
    name,
    code,
    when,
    value: exampleError(code, sentence),
  });
  return [
    ...[...codes].map((code) => {
      const { when, elsewhere = when } = errorGuide[code];
      const sentence = code === 'RATE_LIMITED' && limit && 'sentence' in limit ? limit.sentence : undefined;
      return ofCode(code, code, model ? when : elsewhere, sentence);
    }),
    ...Object.entries(sentences).map(([name, { code, when, sentence }]) => ofCode(name, code, when, sentence)),
    ...[...names, ...ofMethod].map((name) => ({ ...refusals[name], name, value: `${refusals[name].sentence}\n` })),
    ...Object.entries(own).map(([name, each]) => ({ ...each, name })),
  ];
}

/** Returns the headers of an error response in addition to `X-Request-Id`. */
function headersOf({ access, id }: Operation, status: number, codes: readonly ErrorCode[]) {
  const questionStored = codes.some((code) => errorGuide[code].questionStored);
  return {
    ...(status === 405 && { Allow: 'Allow' }),
    ...(status === 429 && { 'Retry-After': 'RetryAfter' }),
    ...(id === 'liveChat' && questionStored && { [headerNames.conversationId]: 'StoredConversationId' }),
    ...(access !== 'public' && { 'Set-Cookie': 'RenewedSession' }),
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

function listed(sentences: readonly string[]): string {
  return sentences.length === 1 ? sentences.join('') : sentences.map((sentence) => `- ${sentence}`).join('\n');
}

/** Describes all error responses with one status. */
function describeErrors(operation: Operation, status: number, responses: readonly ErrorResponse[]) {
  const codes = [...new Set(responses.flatMap(({ code }) => code ?? []))];
  const schemas = [...new Set(responses.map(({ code, schema }) => schema ?? (code ? 'ErrorText' : 'HttpRefusal')))];
  const sentences = responses.map(({ code, name, when }) => (code === name ? `\`${code}\`: ${when}` : when));
  const examples = responses.map(({ name, when, value }) => [name, { summary: unlinked(when), value }]);
  const type = schemas.includes('FieldErrors') ? 'application/json' : 'text/plain';
  return {
    ...answer(
      unlinked(listed([...new Set(sentences)])),
      headersOf(operation, status, codes),
      media(type, schemas, Object.fromEntries(examples)),
    ),
    ...(codes.length > 0 && { 'x-error-codes': codes }),
  };
}

function describeOperation(operation: Operation) {
  const { id, tag, summary, description, access, noStore, model, query = [], body, success, path } = operation;
  const limit = limitOf(operation);
  const cookie = [{ developmentSession: [] }, { session: [] }];
  const byStatus = Map.groupBy(errorResponsesOf(operation), ({ status }) => status);
  const responses: [number, object][] = [
    ...Object.entries(success).map(
      ([status, { description, headers = {}, type, schema, examples = {} }]): [number, object] => [
        Number(status),
        answer(
          description,
          {
            ...(access !== 'public' && { 'Set-Cookie': 'RenewedSession' }),
            ...(noStore && { 'Cache-Control': 'NoStore' }),
            ...headers,
          },
          type && schema && Object.assign({}, ...[type].flat().map((each) => media(each, [schema], examples))),
        ),
      ],
    ),
    ...[...byStatus].map(([status, errors]): [number, object] => [status, describeErrors(operation, status, errors)]),
  ];
  return {
    tags: [tag],
    operationId: id,
    summary,
    description,
    security: access === 'public' ? [] : [...cookie, ...(access === 'session' ? [{}] : [])],
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
            'A JSON media type (`application/json`, `application/*+json`) in UTF-8. Another media type or charset results in `INVALID_JSON`.',
        }),
        content: Object.assign(
          {},
          ...Object.entries(body).map(([type, { schema, examples }]) => media(type, [schema], examples)),
        ),
      },
    }),
    responses: Object.fromEntries(responses.toSorted(([one], [other]) => one - other)),
  };
}

/** Moves responses that several operations share into components, and replaces them with references. */
function extractSharedResponses(paths: Record<string, { responses: Record<string, object> }>): Record<string, object> {
  const all = Object.entries(paths).flatMap(([path, { responses }]) =>
    Object.entries(responses).map((entry) => ({ path, responses, entry })),
  );
  const groups = Map.groupBy(all, ({ entry: [status, response] }) => status + JSON.stringify(response));
  const shared: Record<string, object> = {};
  for (const uses of groups.values()) {
    const [status, response] = uses[0]?.entry ?? ['', {}];
    if (uses.length === 1) continue;
    const users = uses.map(({ path }) => path);
    const name = `${groupOf(users)}${STATUS_CODES[status]?.replaceAll(/\W/g, '') ?? status}`;
    if (name in shared) throw new Error(`Two shared responses have the name ${name}.`);
    shared[name] = response;
    for (const { responses } of uses) responses[status] = component('responses', name);
  }
  return shared;
}

/** Smallest group first. A shared response is named after the first group that contains every operation that returns it. */
const operationGroups: readonly [name: string, (operation: Operation) => boolean][] = [
  ['Service', ({ tag }) => tag === 'Service'],
  ['SignInRedirect', ({ success }) => success[302] !== undefined],
  ['Form', ({ tag, body }) => tag === 'Sign-in' && body !== undefined],
  ['Session', ({ access }) => access !== 'public'],
  ['', () => true],
];

function groupOf(paths: readonly string[]): string {
  const users = operations.filter(({ path }) => paths.includes(path));
  return operationGroups.find(([, includes]) => users.every(includes))?.[0] ?? '';
}

export function renderOpenapi(): string {
  const paths = Object.fromEntries(operations.map((operation) => [operation.path, describeOperation(operation)]));
  const responses = extractSharedResponses(paths);
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
      // orval rejects a variable with a description.
      { url: 'https://{host}', description: 'Deployed', variables: { host: { default: 'chat.example.com' } } },
    ],
    tags: [
      { name: 'Chat', description: 'Stream a reply.' },
      {
        name: 'Sign-in',
        description: 'Obtain and end a session. Other front ends can use these routes too.',
      },
      { name: 'Service', description: 'Health checks for load balancers.' },
    ],
    // Errors are text, so no schema can refer to the code inside them.
    'x-error-code': component('schemas', 'ErrorCode'),
    'x-retry-policy': retryPolicy,
    'x-max-body-bytes': maxBodyBytes,
    'x-max-demo-body-bytes': bodyLimits.demoChat,
    'x-max-messages': maxMessages,
    paths: Object.fromEntries(operations.map(({ path, method }) => [path, { [method.toLowerCase()]: paths[path] }])),
    components: { securitySchemes, parameters, headers, responses, schemas: schemaComponents() },
  };
  const header = '# Generated by `npm run docs`.\n';
  return (
    header +
    stringify(document, {
      aliasDuplicateObjects: false,
      lineWidth: 120,
      singleQuote: true,
      // Parsers of YAML 1.1 read an unquoted `no` as false.
      compat: 'yaml-1.1',
    })
  );
}
