import type { Mutation } from '../mutation.ts';

export const whatIsAsked: readonly Mutation[] = [
  {
    name: 'JSON may have a comma too many',
    file: 'server/http/requests/json-body.ts',
    find: 'JSON.parse(utf8.decode(request.body))',
    replace: "JSON.parse(utf8.decode(request.body).replace(/,(?=\\s*[\\]}])/g, ''))",
    rows: [45],
  },
  {
    name: 'An empty body is taken for an empty object',
    file: 'server/http/requests/json-body.ts',
    find: 'JSON.parse(utf8.decode(request.body))',
    replace: "JSON.parse(utf8.decode(request.body) || '{}')",
    rows: [46, 47],
  },
  {
    name: 'Any Content-Type is taken for JSON',
    file: 'server/http/requests/json-body.ts',
    find: "Boolean(typeIs(request, ['json', '+json']))",
    replace: 'Boolean(typeIs)',
    rows: [47],
  },
  {
    name: 'A body without messages is called invalid JSON',
    file: 'server/chat/request-messages.ts',
    find: "messages.length === 0) throw new AppError('MISSING_MESSAGES');",
    replace: "messages.length === 0) throw new AppError('INVALID_JSON');",
    rows: [48, 49, 53],
  },
  {
    name: 'Earlier messages are not looked at',
    file: 'server/chat/request-messages.ts',
    find: 'const message = messageOf(element);\n    if (message === undefined) throw',
    replace:
      'const message = messageOf(element) ?? (index < last ? (element as Message) : undefined);\n    if (message === undefined) throw',
    rows: [50, 52],
  },
  {
    name: 'The role of the last message is read without regard to case',
    file: 'server/chat/request-messages.ts',
    find: "role !== 'user';",
    replace: "role.trim().toLowerCase() !== 'user';",
    rows: [51],
  },
  {
    name: 'Errors are in an envelope for who accepts JSON',
    file: 'server/http/replies/error-handler.ts',
    find: "response.status(status).type('text/plain')",
    replace:
      "if (response.req.headers.accept === 'application/json') return void response.status(status).json({ error: { code } });\n  response.status(status).type('text/plain')",
    rows: [53],
  },
  {
    name: 'max_tokens of the body counts',
    file: 'server/chat/live-route.ts',
    find: 'liveRequest(takeBody(request), maxMessages);',
    replace: `liveRequest(request.body, maxMessages);
    const { max_tokens: maxTokens = 4096 } = takeBody(request);
    const model = { reply: (asked, ...others) => options.model.reply({ ...asked, maxTokens }, ...others) };`,
    rows: [54],
  },
];
