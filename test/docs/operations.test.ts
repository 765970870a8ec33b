import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { LoggedError } from '../../server/http/process/loggable-error.ts';
import type { Identity } from '../../server/http/process/logger.ts';
import type { RequestIds } from '../../server/http/requests/request-id.ts';
import type { RequestLine } from '../../server/http/requests/request-log.ts';
import { readDocument, readText } from '../support/document.ts';
import { startOptions } from '../support/served-process.ts';

/** The types of the lines say what there is: a field more or less does not compile. */
const requestFields = {
  requestId: true,
  ownId: true,
  method: true,
  path: true,
  status: true,
  durationMs: true,
  code: true,
  err: true,
  userId: true,
  orgId: true,
  conversationId: true,
  ending: true,
  stopReason: true,
  model: true,
  inputTokens: true,
  outputTokens: true,
  cacheReadTokens: true,
  cacheCreateTokens: true,
  providerRequestId: true,
  firstTextMs: true,
  budget: true,
  signIn: true,
  instance: true,
  version: true,
} satisfies Record<keyof (RequestLine & RequestIds & Identity), true>;

const errorFields = {
  type: true,
  message: true,
  code: true,
  status: true,
  providerType: true,
  providerRequestId: true,
  constraint: true,
  table: true,
  routine: true,
  syscall: true,
  hostname: true,
  address: true,
  port: true,
  paths: true,
  stack: true,
  cause: true,
  errors: true,
} satisfies Record<keyof LoggedError, true>;

describe('the operations guide', () => {
  it('starts Node with the options that npm start and the image give it', () => {
    expect(startOptions).not.to.be.empty;
    const command = ['node', ...startOptions, 'server/main.js'];
    expect(readText('Dockerfile')).to.include(`CMD ${JSON.stringify(command).replaceAll(',', ', ')}`);
    expect(readDocument('docs/operations.md').codeUnder('### With Node', 'bash')).to.include(command.join(' '));
  });

  it('names every field of a line about a request, and of an error in it', () => {
    const named = readDocument('docs/operations.md')
      .tableUnder('## Logs')
      .flatMap(([names = '']) => names.split(', ').map((name) => name.replaceAll('`', '')));
    expect(named).to.include.members(Object.keys(requestFields));
    const ofErrors = named.filter((name) => name.startsWith('err.')).map((name) => name.slice('err.'.length));
    expect(ofErrors).to.have.members(Object.keys(errorFields));
  });
});
