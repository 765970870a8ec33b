import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { demoErrorCodes, type ErrorCode, errors, formatError } from '../../shared/errors.ts';
import { promptVersion, routes } from '../../shared/interface.ts';
import { retryRules } from '../../shared/retry.ts';
import { errorCodes } from '../shared/error-codes.ts';
import { examplesOf, matcherOf, openapi, operationOf } from './openapi-document.ts';

const described = [
  { path: routes.liveChat, codes: errorCodes, limit: loadConfig({}).limits.live },
  { path: routes.demoChat, codes: demoErrorCodes, limit: loadConfig({}).limits.demo },
] as const;

/** The plain-text body of an error, with the wait that the examples have. */
const bodyOf = (code: ErrorCode) => formatError(code, code === 'RATE_LIMITED' ? 42 : undefined);

describe('docs/openapi.yaml', () => {
  it('has the two routes that can be called and no other', () => {
    expect(Object.keys(openapi.paths)).to.deep.equal(described.map(({ path }) => path));
  });

  it('names what is planned as planned', () => {
    const [, planned = ''] = openapi.info.description.split('**Planned, not callable**');
    for (const name of [
      'GET /api/conversations`',
      'GET /api/conversations/:id/messages',
      'POST /api/conversations/:id/archive',
      'GET /api/engagement',
      'POST /api/onboarding',
      'VALIDATION_FAILED',
      'CONVERSATION_NOT_FOUND',
      'text/event-stream',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
    ]) {
      expect(planned.replace(/\s+/g, ' ')).to.include(name);
    }
  });

  for (const { path, codes, limit } of described) {
    const operation = operationOf(path);

    it(`has every code of ${path} with its status and its sentence`, () => {
      const examples = examplesOf(operation).filter(({ name }) => Object.hasOwn(errors, name));
      expect(examples).to.have.deep.members(
        codes.map((code) => ({ status: errors[code].status, name: code, value: bodyOf(code) })),
      );
    });

    it(`has examples of ${path} that its schemas allow`, () => {
      for (const { content } of [operation.requestBody, ...Object.values(operation.responses)]) {
        for (const { schema, examples } of Object.values(content)) {
          const matches = matcherOf(schema);
          for (const [name, { value }] of Object.entries(examples)) expect(matches(value), name).to.equal(true);
        }
      }
    });

    it(`has the limit of ${path}`, () => {
      const { requests, windowSeconds } = operation['x-limit'];
      expect({ requests, windowSeconds }).to.deep.equal(limit);
    });
  }

  it('has the largest body', () => {
    expect(openapi['x-max-body-bytes']).to.equal(loadConfig({}).maxBodyBytes);
  });

  it('has the most messages', () => {
    expect(openapi['x-max-messages']).to.equal(loadConfig({}).maxMessages);
  });

  it('has the retry policy', () => {
    expect(openapi['x-retry-policy']).to.deep.equal(retryRules);
  });

  it('has the versions', () => {
    expect(openapi.info.version).to.equal('1.0.0');
    const { headers } = operationOf(routes.liveChat).responses['200'] ?? {};
    expect(headers?.['X-Prompt-Version']?.schema).to.deep.equal({ const: promptVersion });
  });
});
