import type { Mutation } from '../mutation.ts';

export const demoChat: readonly Mutation[] = [
  {
    name: 'Demo chat looks for a session',
    file: 'server/app.ts',
    find: 'app.post(routes.demoChat, streams.admitDemo);',
    replace: 'app.use(session);\n  app.post(routes.demoChat, streams.admitDemo);',
    rows: [5, 95, 104],
  },
  {
    name: 'Demo chat renews a session, and gives its visitors a cookie',
    file: 'server/app.ts',
    find: 'app.post(routes.demoChat, streams.admitDemo);',
    replace:
      "app.use('/api/chat/demo', session, (request, response, next) => {\n    response.cookie('visitor', 'x');\n    if (request.session.userId) request.session.renewedAt = Date.now();\n    next();\n  });\n  app.post(routes.demoChat, streams.admitDemo);",
    rows: [94, 95, 97, 104],
  },
  {
    name: "The demo's prompt tells of its visitor",
    file: 'server/chat/demo-route.ts',
    find: 'system: demoPrompt,',
    replace: 'system: demoPrompt.map((block) => ({ ...block, text: block.text + request.headers.cookie })),',
    rows: [96, 100, 102],
  },
  {
    name: 'Demo chat names a conversation',
    file: 'server/chat/demo-route.ts',
    find: 'createTextReply(response)',
    replace: "createTextReply(response, { 'X-Conversation-Id': 'c'.padEnd(25, '0') })",
    rows: [98],
  },
  {
    name: 'Demo chat names a prompt version',
    file: 'server/chat/demo-route.ts',
    find: 'createTextReply(response)',
    replace: "createTextReply(response, { 'X-Prompt-Version': '1.0.0' })",
    rows: [99],
  },
  {
    name: 'Demo chat asks for 4096 tokens',
    file: 'server/chat/demo-route.ts',
    find: 'maxTokens = 2048',
    replace: 'maxTokens = 4096',
    rows: [101],
  },
  {
    name: "The demo's prompt is not cached",
    file: 'server/prompt/demo-prompt.ts',
    find: 'type SystemBlock, systemBlockWithBreakpoint }',
    replace: 'type SystemBlock, systemBlock as systemBlockWithBreakpoint }',
    rows: [102],
  },
  {
    name: "The demo's prompt has an L8",
    file: 'server/prompt/demo-prompt.ts',
    find: 'theEngagement, boundaries]',
    replace: "theEngagement, boundaries, '# L8 This turn']",
    rows: [103],
  },
  {
    name: 'Demo chat forwards the last message alone',
    file: 'server/chat/request-messages.ts',
    find: '  return messages;\n}\n\n/** The elements of',
    replace: '  return messages.slice(-1);\n}\n\n/** The elements of',
    rows: [105, 106],
  },
  {
    name: 'Demo chat calls a malformed message by a code that it is not given',
    file: 'server/chat/request-messages.ts',
    find: "throw new AppError('UPSTREAM_BAD_REQUEST', { cause });",
    replace: "throw new AppError('MISSING_MESSAGES', { cause });",
    rows: [107, 109, 133],
  },
  {
    name: "Demo chat passes on that the provider's key is wrong",
    file: 'shared/errors.ts',
    find: "  'UPSTREAM_ERROR',\n];",
    replace: "  'UPSTREAM_ERROR',\n  'UPSTREAM_AUTH',\n];",
    rows: [6, 108],
  },
  {
    name: 'What nobody caught is a 500 on demo chat too',
    file: 'server/chat/demo-route.ts',
    find: 'const actual = error instanceof AppError ?',
    replace: 'if (!(error instanceof AppError)) return next(error);\n  const actual = error instanceof AppError ?',
    rows: [109],
  },
];
