import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { demoErrorCodes, errors, formatAppendedError } from '../../shared/errors.ts';
import { promptVersion, routes } from '../../shared/interface.ts';
import {
  codeByStatus,
  type Failure,
  longestUnattendedWaitSeconds,
  mostAttempts,
  nextDelaySeconds,
  retryRules,
} from '../../shared/retry.ts';
import { providerNames, signInProblems } from '../../shared/session.ts';
import { errorCodes, exampleError } from '../shared/error-codes.ts';
import { examplesOf, openapi, operationOf, operations } from './openapi-document.ts';
import { matcherOf } from './openapi-matcher.ts';

const { limits, maxBodyBytes, maxMessages } = loadConfig({});

const limited = {
  [routes.liveChat]: limits.live,
  [routes.demoChat]: limits.demo,
  [`${routes.signIn}/{provider}`]: limits.signInStart,
  [`${routes.signIn}/{provider}/callback`]: limits.signInCallback,
  [routes.join]: limits.joining,
  [routes.onboarding]: limits.onboarding,
  [routes.violations]: limits.violations,
};

const policy = openapi['x-retry-policy'];

/** What the policy says in data, as somebody would write it who has nothing else. */
function nextDelayByPolicy(failures: readonly Failure[]): number | null {
  const latest = failures.at(-1);
  const rule = latest && policy.codes[latest.code];
  if (latest === undefined || rule === undefined || failures.length >= policy.mostAttempts) return null;
  const failuresOfThisCode = failures.filter(({ code }) => code === latest.code).length;
  if (failuresOfThisCode >= rule.attempts) return null;
  if (rule.delaysSeconds !== 'retry-after') return rule.delaysSeconds[failuresOfThisCode - 1] ?? null;
  const { retryAfterSeconds: wait } = latest;
  return wait === undefined || wait > policy.longestUnattendedWaitSeconds ? null : wait;
}

describe('docs/openapi.yaml', () => {
  it('has every route that there is and no other', () => {
    const { signIn, ...others } = routes;
    const health = ['/healthz', '/readyz'];
    const providers = [`${signIn}/{provider}`, `${signIn}/{provider}/callback`];
    expect(operations.map(({ path }) => path)).to.have.members([...Object.values(others), ...providers, ...health]);
  });

  for (const [path, codes] of [
    [routes.liveChat, errorCodes],
    [routes.demoChat, demoErrorCodes],
  ] as const) {
    it(`has every code of ${path} with its status and its sentence`, () => {
      const examples = examplesOf(operationOf(path)).filter(({ name }) => Object.hasOwn(errors, name));
      expect(Object.fromEntries(examples.map(({ name, status, value }) => [name, `${status} ${value}`]))).to.deep.equal(
        Object.fromEntries(codes.map((code) => [code, `${errors[code].status} ${exampleError(code, 42)}`])),
      );
    });
  }

  it('lists the codes, those of demo chat among them, the providers and the problems of a sign-in', () => {
    const { ErrorCode, ProviderName, SignInProblem } = openapi.components.schemas;
    expect(ErrorCode?.enum).to.deep.equal(errorCodes);
    const named = [...String(ErrorCode?.description).matchAll(/`([A-Z_]+)`/g)].map(([, code]) => code);
    expect(named).to.have.members([...demoErrorCodes]);
    expect(ProviderName?.enum).to.deep.equal(providerNames);
    expect(SignInProblem?.enum).to.deep.equal(Object.keys(signInProblems));
  });

  it('has the type of an error begin with one of the codes', () => {
    const isErrorText = matcherOf(openapi.components.schemas.ErrorText ?? {});
    for (const code of errorCodes) expect(isErrorText(exampleError(code, 42)), code).to.equal(true);
    expect(isErrorText('SOLD_OUT: Come back next week.')).to.equal(false);
  });

  it('names at each status the codes that come with it, which generated clients have as a comment', () => {
    for (const { path, responses } of operations) {
      for (const [status, { description, content }] of Object.entries(responses)) {
        const examples = Object.values(content).flatMap((each) => Object.values(each.examples));
        const codes = examples.flatMap(({ value }) => /^([A-Z_]+): /.exec(String(value))?.[1] ?? []);
        const named = errorCodes.filter((code) => description.includes(`\`${code}\``));
        expect(named, `${path} ${status}`).to.have.members([...new Set(codes)]);
      }
    }
  });

  it('has the line that a failed reply ends with', () => {
    const line = formatAppendedError('UPSTREAM_ERROR');
    expect(openapi.components.schemas.Reply?.description).to.include(`\`${line.trim()}\``);
    const [example] = examplesOf(operationOf(routes.liveChat)).filter(({ name }) => name === 'FAILED_AFTER_TEXT');
    expect(String(example?.value).endsWith(line)).to.equal(true);
  });

  for (const operation of operations) {
    it(`has examples of ${operation.path} that its schemas allow`, () => {
      for (const { content } of [operation.requestBody ?? { content: {} }, ...Object.values(operation.responses)]) {
        for (const { schema, examples } of Object.values(content)) {
          const matches = matcherOf(schema);
          for (const [name, { value }] of Object.entries(examples)) expect(matches(value), name).to.equal(true);
        }
      }
    });
  }

  it('has the limits, and a 429 with Retry-After where there is one', () => {
    for (const { path, responses, 'x-limit': described } of operations) {
      const { countedBy: _, ...limit } = described ?? {};
      expect(limit, path).to.deep.equal(Object.hasOwn(limited, path) ? limited[path as keyof typeof limited] : {});
      expect(Object.hasOwn(responses, '429'), path).to.equal(described !== undefined);
      for (const [status, { headers }] of Object.entries(responses)) {
        expect(Object.hasOwn(headers, 'Retry-After'), `${path} ${status}`).to.equal(status === '429');
      }
    }
  });

  it('has X-Request-Id on every response', () => {
    for (const { path, responses } of operations) {
      for (const [status, { headers }] of Object.entries(responses)) {
        expect(headers['X-Request-Id']?.required, `${path} ${status}`).to.equal(true);
      }
    }
  });

  it('has the largest body and the most messages', () => {
    expect(openapi['x-max-body-bytes']).to.equal(maxBodyBytes);
    expect(openapi['x-max-messages']).to.equal(maxMessages);
  });

  it('has the retry policy', () => {
    expect(policy.codes).to.deep.equal(retryRules);
    expect(policy.codesByStatus).to.deep.equal(Object.fromEntries(codeByStatus));
    expect(policy.mostAttempts).to.equal(mostAttempts);
    expect(policy.longestUnattendedWaitSeconds).to.equal(longestUnattendedWaitSeconds);
  });

  it('has a retry policy that says the same as ours of whatever failures a turn meets', () => {
    const failure = fc.record(
      { code: fc.constantFrom(...errorCodes), retryAfterSeconds: fc.constantFrom(1, 42, 60, 61, 3600) },
      { requiredKeys: ['code'] },
    );
    fc.assert(
      fc.property(fc.array(failure, { maxLength: 6 }), (failures) => {
        expect(nextDelayByPolicy(failures)).to.equal(nextDelaySeconds(failures));
      }),
      { seed: 20_261_122, numRuns: 2_000 },
    );
  });

  it('has the address of `npm start` first, in which nothing is left open', () => {
    const { port } = loadConfig({});
    expect(openapi.servers[0].url).to.equal(`http://localhost:${port}`);
  });

  it('has the versions', () => {
    expect(openapi.info.version).to.equal('1.0.0');
    const { headers } = operationOf(routes.liveChat).responses['200'] ?? {};
    const schema = headers?.['X-Prompt-Version']?.schema ?? {};
    expect(matcherOf(schema)(promptVersion)).to.equal(true);
    // It may be raised at any time, and a client that was generated before goes on.
    expect(matcherOf(schema)('1.1.0')).to.equal(true);
  });
});
