import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { ProviderAnswer } from '../../server/embedded/provider-server.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp, question } from '../support/test-app.ts';

const refusal = (status: number): ProviderAnswer => ({
  refuse: { status, type: 'scripted_error', message: 'Refused as req_quoted.' },
});

/** The provider includes its request id in error events. */
const errorEvent = {
  event: { type: 'error', error: { type: 'api_error', message: 'Failed as req_quoted.' }, request_id: 'req_quoted' },
};

const answers: { kind: 'complete' | 'refused' | 'mid-stream'; answer: ProviderAnswer }[] = [
  { kind: 'complete', answer: defaultReply.answer },
  ...[400, 401, 403, 404, 429, 500, 529].map((status) => ({ kind: 'refused' as const, answer: refusal(status) })),
  { kind: 'refused', answer: { steps: [errorEvent] } },
  { kind: 'refused', answer: { steps: [{ cut: true }] } },
  { kind: 'mid-stream', answer: { steps: [{ text: 'Half' }, errorEvent] } },
  { kind: 'mid-stream', answer: { steps: [{ text: 'Half' }, { cut: true }] } },
  { kind: 'mid-stream', answer: { steps: [{ text: 'Half' }, { end: true }] } },
];

describe("The model provider's request id", () => {
  const exchanges: { kind: string; headers: string; body: string; logged: unknown }[] = [];

  const app = perSuite(() => createTestApp());
  before(async () => {
    const avery = await app.person();
    for (const { kind, answer } of answers) {
      app.provider.answerWith(answer);
      for (const response of [await app.live(avery, question()), await app.demo(question())]) {
        const body = await response.text();
        const requestId = response.headers.get('x-request-id');
        const line = await eventually(() => app.lines.find((each) => each.requestId === requestId));
        const headers = JSON.stringify([...response.headers]);
        exchanges.push({ kind, headers, body, logged: line.providerRequestId });
      }
    }
  });

  function bodies(kind: string): string[] {
    const matching = exchanges.filter((each) => each.kind === kind).map(({ body }) => body);
    expect(matching).to.have.length(2 * answers.filter((each) => each.kind === kind).length);
    return matching;
  }

  it("14 No response header contains the provider's id", () => {
    expect(exchanges).to.have.length(2 * answers.length);
    for (const { headers } of exchanges) expect(headers).not.to.match(/req_|"request-id"/);
  });

  it("15 No error body contains the provider's id", () => {
    for (const body of bodies('refused'))
      expect(body)
        .to.match(/^[A-Z_]+: /)
        .and.not.include('req_');
  });

  it("16 No error line in a stream contains the provider's id", () => {
    for (const body of bodies('mid-stream')) {
      expect(body).to.equal('Half\n\n[UPSTREAM_ERROR: The model could not finish the reply.]');
    }
  });

  it("17 The log line of the request contains the provider's id", () => {
    for (const { logged } of exchanges) expect(logged).to.match(/^req_[0-9A-Z]{26}$/);
    expect(new Set(exchanges.map(({ logged }) => logged)).size).to.equal(exchanges.length);
  });
});
