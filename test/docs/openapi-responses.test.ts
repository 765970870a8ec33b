import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { findUndocumented } from './openapi-answers.ts';
import { type DescribedOperation, examplesOf, operations } from './openapi-document.ts';
import { createProvocations, type ReceivedResponse } from './provocations.ts';

// `example` is an annotation of OpenAPI.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, keywords: ['example'] });

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') ?? false;

/** Replaces waits, which depend on the clock of the database. */
const withoutSeconds = (body: unknown) => String(body).replace(/budget.* \d+ seconds/, 'budget … seconds');

/** Replaces all strings of a JSON value, because ids and names differ while the shape must not. */
function shapeOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'string' ? 'text' : each)));
}

function expectDocumented(operation: DescribedOperation, { status, headers, body }: ReceivedResponse) {
  expect(findUndocumented(operation, { status, headers: new Map(headers) })).to.equal(undefined);
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

describe('docs/openapi.yaml compared with real responses', () => {
  const provocations = perSuite(() => createProvocations());

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
        expectDocumented(operation, answer);
      });
    }
  }
});
