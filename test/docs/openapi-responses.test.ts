import { expect } from 'chai';
import { describe, it } from 'mocha';
import { refusals } from '../../docs/documented-errors.ts';
import { perSuite } from '../support/per-suite.ts';
import { findUndocumented } from './openapi-answers.ts';
import { examplesOf, operations } from './openapi-document.ts';
import { createProvocations } from './provocations.ts';

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') ?? false;

/** Replaces waits, which depend on the clock of the database. */
const withoutSeconds = (body: unknown) => String(body).replace(/budget.* \d+ seconds/, 'budget … seconds');

/** Replaces all strings of a JSON value, because ids and names differ while the shape must not. */
function shapeOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'string' ? 'text' : each)));
}

describe('docs/openapi.yaml compared with real responses', () => {
  const provocations = perSuite(() => createProvocations());

  it('has each refusal in an operation', () => {
    const names = operations.flatMap((operation) => examplesOf(operation).map(({ name }) => name));
    expect(names).to.include.members(Object.keys(refusals));
  });

  it('has 413 for each body', () => {
    const unbounded = operations.filter(({ requestBody, responses }) => requestBody && responses[413] === undefined);
    expect(unbounded.map(({ path }) => path)).to.deep.equal([]);
  });

  for (const operation of operations) {
    const { path, method } = operation;
    const title = `${method} ${path}`;

    for (const { status, name, value } of examplesOf(operation)) {
      it(`${title} responds with ${status} as in the example ${name}`, async () => {
        const answer = await provocations.provoke(name, path);
        expect(answer.status).to.equal(status);
        if (name === 'bad-fields') expect(JSON.parse(answer.body)).to.deep.equal(value);
        else if (isJson(answer.headers)) expect(shapeOf(JSON.parse(answer.body))).to.deep.equal(shapeOf(value));
        else expect(withoutSeconds(answer.body)).to.equal(withoutSeconds(value));
        const { status: received, headers, body } = answer;
        const response = { status: received, headers: new Map(headers), body };
        expect(findUndocumented(operation, response)).to.equal(undefined);
      });
    }
  }
});
