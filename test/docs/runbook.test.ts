import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readDocument } from '../support/document.ts';
import { eventually } from '../support/eventually.ts';
import { createTestApp, question } from '../support/test-app.ts';

/** Where something is in a line, and what it is where it is the same each time. */
function outline(value: unknown, path = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => outline(inner, `${path}.${key}`));
  }
  const varies = /\.(time|durationMs|ownId|userId|orgId|conversationId|stack|requestId|model|providerRequestId)$/.test(
    path,
  );
  return [varies ? path : `${path} = ${value}`];
}

describe('docs/runbook.md', () => {
  it('follows a line to its cause that is as the service writes it', async () => {
    await using app = await createTestApp();
    const avery = await app.person();
    const headers = { 'request-id': 'req_011CVb6Qn3' };
    app.provider.answerWith({ refuse: { status: 429, type: 'rate_limit_error', message: 'Slow down.', headers } });
    const response = await app.live(avery, question());
    expect(response.status).to.equal(502);
    const line = await eventually(() => app.lines.find(({ status }) => status === 502));
    const told = JSON.parse(readDocument('docs/runbook.md').codeUnder('## A worked story', 'json'));
    const { instance, version, ...rest } = told;
    expect([instance, version]).not.to.include(undefined);
    expect(outline(rest)).to.have.members(outline(line));
  });
});
