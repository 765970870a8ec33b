import { expect } from 'chai';
import type { StoredMessage } from './app-on-own-postgres.ts';

/** What a person was told of a turn. */
export type Told = { requestId: string; question: string; status: number; text: string };

export const internal = 'INTERNAL: Something went wrong on our side.';

const errorLine = /\n\n\[UPSTREAM_ERROR: [^\]]*\]$/;

export async function toldBy(sent: Promise<Response>, question: string): Promise<Told> {
  const response = await sent;
  const requestId = response.headers.get('x-request-id') ?? '';
  return { requestId, question, status: response.status, text: await response.text() };
}

/**
 * That each turn is accounted for: one that was answered is stored as it was seen, question and answer, once; of one that
 * failed the person saw the error, and no answer is stored; and nothing else is.
 */
export function expectAccountedFor(turns: readonly Told[], messages: readonly StoredMessage[]): void {
  const stored = Map.groupBy(messages, ({ request_id }) => request_id);
  for (const { requestId, question, status, text } of turns) {
    const rows = (stored.get(requestId) ?? []).map(({ role, content }) => [role, content]);
    stored.delete(requestId);
    const asked = ['USER', question];
    if (status === 200) expect(rows).to.deep.equal([asked, ['ASSISTANT', text.replace(errorLine, '')]]);
    else {
      expect([status, text]).to.deep.equal([500, internal]);
      expect(rows).to.be.deep.oneOf([[], [asked]]);
    }
  }
  expect([...stored.keys()], 'rows of no turn').to.deep.equal([]);
}
