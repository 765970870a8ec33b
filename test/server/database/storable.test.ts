import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { storableText } from '../../../server/database/storable.ts';
import { findPerson, origin, signIn } from '../../support/people.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { answerIn, ask, newcomer } from './scenes.ts';

const typed = 'NUL \0, lone \uD83D and \uDE00, whole \u{1F600}, \u05D0';
const stored = 'NUL \uFFFD, lone \uFFFD and \uFFFD, whole \u{1F600}, \u05D0';

describe('storableText', () => {
  it('puts U+FFFD in the place of NUL and of lone surrogates, and changes nothing else', () => {
    expect(storableText(typed)).to.equal(stored);
    expect(storableText('\0\0')).to.equal('\uFFFD\uFFFD');
    expect(storableText('')).to.equal('');
  });
});

describe('text that people typed', () => {
  let storage: TestDatabase;

  before(async () => {
    storage = await createTestDatabase();
  });
  after(() => storage.close());

  it('is stored wherever it can be typed, with U+FFFD for what PostgreSQL cannot hold', async () => {
    const { turns, engagements } = storage.database;
    const { id: userId, organization } = await signIn(storage.database, {
      provider: 'google',
      subject: 'stored text',
      name: typed,
      email: typed,
    });
    const scope = { userId, orgId: organization.id };
    expect(organization.name).to.equal(`${stored}'s organization`);
    await engagements.begin(
      scope,
      {
        company: { name: typed, industry: typed, size: typed },
        profile: { role: typed },
        engagement: { focus: typed, hypotheses: [typed], unknowns: [typed] },
      },
      { ...origin, requestId: typed },
    );
    const { conversationId, facts } = await turns.open({
      ...scope,
      conversationId: typed,
      content: typed,
      requestId: typed,
    });
    await turns.close(
      answerIn(conversationId, scope, { content: typed, requestId: typed, model: typed, stopReason: typed }),
    );

    expect(await findPerson(storage, userId)).to.include({ name: stored, email: stored });
    expect(facts).to.deep.equal({
      organization: { name: stored, industry: stored, size: stored },
      user: { name: stored, role: stored },
      engagement: {
        week: 1,
        focus: stored,
        hypotheses: [{ statement: stored, status: 'open', evidence: [] }],
        unknowns: [{ question: stored }],
        findings: [],
      },
    });
    const messages = await storage.rows(
      'select content, request_id, model, stop_reason from chat_messages order by position',
    );
    expect(messages).to.deep.equal([
      { content: stored, request_id: stored, model: null, stop_reason: null },
      { content: stored, request_id: stored, model: stored, stop_reason: stored },
    ]);
  });

  it('is stored as it is, however much it looks like SQL, JSON or a parameter', async () => {
    const scope = await newcomer(storage, 'SQL');
    for (const content of [`'; drop table users; --`, `\\'`, '??? :name $1 %s', `{"a":"\\u0000"}`, 'a\r\n\tb', ' ']) {
      const { conversationId } = await ask(storage, scope, { content });
      const rows = await storage.rows('select content from chat_messages where conversation_id = ?', [conversationId]);
      expect(rows).to.deep.equal([{ content }]);
    }
  });

  it('may be a megabyte in one line', async () => {
    const scope = await newcomer(storage, 'Megabyte');
    const content = "\u05D0'\\".repeat(2 ** 20 / 4);
    expect(Buffer.byteLength(content)).to.equal(2 ** 20);
    const { conversationId } = await ask(storage, scope, { content });
    await ask(storage, scope, { content, conversationId });
    const rows = await storage.rows('select content from chat_messages where conversation_id = ?', [conversationId]);
    expect(rows).to.have.length(1);
    expect(rows[0]?.content === content).to.equal(true);
  });
});
