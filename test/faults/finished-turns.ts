import { expect } from 'chai';

export type StoredMessage = { role: string; content: string; request_id: string; stop_reason: string | null };

export type FinishedTurn = { requestId: string; question: string; status: number; text: string };

export const internalErrorBody = 'INTERNAL: Something went wrong on our side.';

const errorLine = /\n\n\[UPSTREAM_ERROR: [^\]]*\]$/;

export async function finishedTurn(sent: Promise<Response>, question: string): Promise<FinishedTurn> {
  const response = await sent;
  const requestId = response.headers.get('x-request-id') ?? '';
  return { requestId, question, status: response.status, text: await response.text() };
}

/**
 * Asserts that every successful turn is stored exactly once, with the question and answer that the client saw; that every
 * other turn failed with `INTERNAL` and has no stored answer; and that no other messages are stored.
 */
export function expectStoredOnce(turns: readonly FinishedTurn[], messages: readonly StoredMessage[]): void {
  const stored = Map.groupBy(messages, ({ request_id }) => request_id);
  for (const { requestId, question, status, text } of turns) {
    const rows = (stored.get(requestId) ?? []).map(({ role, content }) => [role, content]);
    stored.delete(requestId);
    const userRow = ['USER', question];
    if (status === 200) expect(rows).to.deep.equal([userRow, ['ASSISTANT', text.replace(errorLine, '')]]);
    else {
      expect([status, text]).to.deep.equal([500, internalErrorBody]);
      expect(rows).to.be.deep.oneOf([[], [userRow]]);
    }
  }
  expect([...stored.keys()], 'rows of no turn').to.deep.equal([]);
}
