import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ofSuite } from '../support/of-suite.ts';
import { undescribedIn } from './openapi-answers.ts';
import { type DescribedOperation, examplesOf, operations } from './openapi-document.ts';
import { type Answer, createProvocations } from './provocations.ts';

// `example` is OpenAPI's own annotation.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, keywords: ['example'] });

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') ?? false;

/** A wait that the clock of the database decides. */
const withoutSeconds = (body: unknown) => String(body).replace(/budget.* \d+ seconds/, 'budget … seconds');

/** A JSON value with a word in place of each text: who somebody is differs, and what is known of them does not. */
function shapeOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'string' ? 'text' : each)));
}

/** That status, headers, content type and body of an answer are as the document has them. */
function expectDescribed(operation: DescribedOperation, { status, headers, body }: Answer) {
  expect(undescribedIn(operation, { status, headers: new Map(headers) })).to.equal(undefined);
  const response = operation.responses[status];
  for (const [name, { schema }] of Object.entries(response?.headers ?? {})) {
    const value = headers.get(name);
    const typed = schema.type === 'integer' ? Number(value) : value;
    if (value !== null) expect(ajv.validate(schema, typed), `${name}: ${value}`).to.equal(true);
  }
  for (const { schema } of Object.values(response?.content ?? {})) {
    expect(ajv.validate(schema, isJson(headers) ? JSON.parse(body) : body), body).to.equal(true);
  }
}

describe('docs/openapi.yaml, beside what is really answered', () => {
  const provocations = ofSuite(() => createProvocations());

  for (const operation of operations) {
    const { path, method } = operation;
    const title = `${method} ${path}`;

    for (const { status, name, value } of examplesOf(operation)) {
      it(`${title} is ${status} as described: ${name}`, async () => {
        const answer = await provocations.provoke(name, path);
        expect(answer.status).to.equal(status);
        if (name === 'bad-fields') expect(JSON.parse(answer.body)).to.deep.equal(value);
        else if (isJson(answer.headers)) expect(shapeOf(JSON.parse(answer.body))).to.deep.equal(shapeOf(value));
        else expect(withoutSeconds(answer.body)).to.equal(withoutSeconds(value));
        expectDescribed(operation, answer);
      });
    }
  }
});
