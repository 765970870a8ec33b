import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isAway } from '../../../server/database/away.ts';
import { type Client, callFunction, requireWritable, watchedClient } from '../../../server/database/client.ts';
import { refusal } from './scenes.ts';

/** Connections that answer each statement with these rows, or with a failure. */
function answering(answer: object[] | Error) {
  const statements: string[] = [];
  const client: Client = {
    query(statement) {
      statements.push(statement);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ rows: answer as never[] });
    },
  };
  return { client, statements };
}

describe('callFunction', () => {
  it('takes an answer without a row for a connection that was lost', async () => {
    const error = await refusal(callFunction(answering([]).client, 'find_session', { session_id: 'one' }));
    expect(error.message).to.equal('find_session was called and has no result.');
    expect(isAway(error)).to.equal(true);
  });
});

describe('requireWritable', () => {
  it('is content with a database that takes writes, and takes a standby for one that is away', async () => {
    await requireWritable(answering([{ refused: 'off' }]).client);
    expect(isAway(await refusal(requireWritable(answering([{ refused: 'on' }]).client)))).to.equal(true);
    expect(isAway(await refusal(requireWritable(answering([]).client)))).to.equal(true);
  });
});

describe('watchedClient', () => {
  it('passes each answer and each failure on, and tells of them', async () => {
    const told: unknown[] = [];
    const outage = { answered: () => void told.push('answered'), failed: (error: unknown) => void told.push(error) };
    const { client, statements } = answering([{ one: 1 }]);
    expect(await watchedClient(client, outage).query('select 1', [])).to.deep.equal({ rows: [{ one: 1 }] });
    const failure = new Error('refused');
    const failing = watchedClient(answering(failure).client, outage);
    expect(await refusal(failing.query('select 1', []))).to.equal(failure);
    expect(told).to.deep.equal(['answered', failure]);
    expect(statements).to.deep.equal(['select 1']);
  });
});
