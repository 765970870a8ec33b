import { expect } from 'chai';
import { before, beforeEach, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { createTestApp, type Person, question } from '../support/test-app.ts';

const nonexistent = `c${'0'.repeat(24)}`;

describe('Live chat: conversations', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 1000 } }));
  const avery = perSuite(() => app.person());
  /** Moved to Avery's organization. */
  const colleague = perSuite(() => app.person({ provider: 'github', who: 'casey-example' }));
  const stranger = perSuite(() => app.person({ provider: 'microsoft', who: 'drew@example.com' }));
  before(async () => {
    await app.storage.administration.moveUser(colleague.user.id, avery.user.organization.id);
  });
  beforeEach(() => app.storage.rows('delete from conversations'));

  async function turn(person: Person, conversationId?: unknown) {
    const body = { ...question(), ...(conversationId !== undefined && { conversationId }) };
    const response = await app.live(person, body, { 'X-Request-Id': 'the same' });
    expect(response.status).to.equal(200);
    const headers = new Map(response.headers);
    return { id: headers.get('x-conversation-id') ?? '', headers, text: await response.text() };
  }

  const conversations = () => app.storage.rows('select id, org_id, user_id from conversations order by created_at, id');
  const ids = async () => (await conversations()).map(({ id }) => id);
  const messagesIn = (id: string) =>
    app.storage.rows('select * from chat_messages where conversation_id = ? order by position', [id]);
  const rolesIn = async (id: string) => (await messagesIn(id)).map(({ role }) => role);
  const rowsOf = async (id: string) => [
    await app.storage.rows('select * from conversations where id = ?', [id]),
    await messagesIn(id),
  ];

  /** Asserts that a turn of `person` creates one conversation, which is their own and has only this turn. */
  async function expectNew(person: Person, conversationId: unknown, orgId = person.user.organization.id) {
    const before = await ids();
    const { id } = await turn(person, conversationId);
    expect(before).not.to.include(id);
    expect(id).not.to.equal(conversationId);
    expect((await conversations()).filter((row) => !before.includes(row.id))).to.deep.equal([
      { id, org_id: orgId, user_id: person.user.id },
    ]);
    expect(await rolesIn(id)).to.deep.equal(['USER', 'ASSISTANT']);
  }

  it('75 Without a conversationId, a turn creates a new conversation', async () => {
    await expectNew(avery, undefined);
    await expectNew(avery, undefined);
  });

  it("76 The id of the caller's own conversation appends to it", async () => {
    const { id } = await turn(avery);
    expect((await turn(avery, id)).id).to.equal(id);
    expect(await rolesIn(id)).to.deep.equal(['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
    expect(await ids()).to.deep.equal([id]);
  });

  it('77 A nonexistent id creates a new conversation', async () => {
    await expectNew(avery, nonexistent);
  });

  it("78 The id of a colleague's conversation creates a new conversation", async () => {
    const { id } = await turn(avery);
    await expectNew(colleague, id, avery.user.organization.id);
  });

  it("79 The id of another organization's conversation creates a new conversation", async () => {
    const { id } = await turn(avery);
    await expectNew(stranger, id);
  });

  it('80 An invalid conversationId (a number, an object, null, an empty string, 10 kB) creates a new conversation', async () => {
    const { id } = await turn(avery);
    // PostgreSQL can store neither character of the last text in a column.
    const texts = ['', 'c'.repeat(10_240), 'c%', "' or true --", 'c\0\ud800'];
    const similar = [id.toUpperCase(), ` ${id}`, `${id}\n`, id.slice(0, -1)];
    for (const conversationId of [7, { id }, [id], true, null, ...texts, ...similar]) {
      await expectNew(avery, conversationId);
      expect(await rolesIn(id), JSON.stringify(conversationId)).to.deep.equal(['USER', 'ASSISTANT']);
    }
  });

  it('81 Responses for a foreign id and for a nonexistent id are indistinguishable', async () => {
    const { id } = await turn(avery);
    /** Returns the response without the headers that can differ between any two turns. */
    const responseTo = async (person: Person, conversationId: string) => {
      const { headers, text } = await turn(person, conversationId);
      for (const varying of ['x-conversation-id', 'date']) headers.delete(varying);
      return { headers: [...headers], text };
    };
    for (const person of [colleague, stranger]) {
      expect(await responseTo(person, id)).to.deep.equal(await responseTo(person, nonexistent));
    }
  });

  it("82 A turn with a foreign id changes none of the owner's rows", async () => {
    const { id } = await turn(avery);
    const before = await rowsOf(id);
    for (const person of [colleague, stranger]) await turn(person, id);
    expect(await rowsOf(id)).to.deep.equal(before);
  });

  it('83 A user who has been moved to another organization cannot access the old conversation', async () => {
    const { administration } = app.storage;
    const { id } = await turn(avery);
    const before = await rowsOf(id);
    const elsewhere = stranger.user.organization.id;
    await administration.moveUser(avery.user.id, elsewhere);
    await expectNew(avery, id, elsewhere);
    expect(await rowsOf(id)).to.deep.equal(before);
    await administration.moveUser(avery.user.id, avery.user.organization.id);
    expect((await turn(avery, id)).id, 'after moving back').to.equal(id);
  });
});
