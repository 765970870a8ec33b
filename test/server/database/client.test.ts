import { expect } from 'chai';
import { describe, it } from 'mocha';
import { type Client, callFunction } from '../../../server/database/client.ts';
import { isAway } from '../../../server/database/outage.ts';
import { refusal } from './scenes.ts';

const noRows: Client = { query: async () => ({ rows: [] }) };

describe('callFunction', () => {
  it('takes an answer without a row for a connection that was lost', async () => {
    const error = await refusal(callFunction(noRows, 'find_session', { session_id: 'one' }));
    expect(error.message).to.equal('find_session was called and has no result.');
    expect(isAway(error)).to.equal(true);
  });
});
