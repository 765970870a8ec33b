import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';

type Person = Awaited<ReturnType<TestApp['person']>>;

const nonexistent = `c${'0'.repeat(24)}`;

describe('Live chat, conversations', () => {
  let app: TestApp;
  let avery: Person;
  /** in the same organization as Avery */
  let colleague: Person;
  let stranger: Person;

  before(async () => {
    app = await createTestApp({ limits: { live: 1000 } });
    avery = await app.person();
    colleague = await app.person({ provider: 'github', who: 'casey-example' });
    stranger = await app.person({ provider: 'microsoft', who: 'drew@example.com' });
    await app.storage.database.administration.moveUser(colleague.user.id, avery.user.organization.id);
  });
  beforeEach(() => app.storage.rows('delete from conversations'));
  after(() => app.close());

  /** A turn of `person`, read to its end. Without `conversationId` the request has no such field. */
  async function turn(person: Person, conversationId?: unknown) {
    const body = { ...question(), ...(conversationId !== undefined && { conversationId }) };
    const response = await app.live(person, body, { 'X-Request-Id': 'the same' });
    expect(response.status).to.equal(200);
    const headers = new Map(response.headers);
    return { id: headers.get('x-conversation-id') ?? '', headers, text: await response.text() };
  }

  const conversations = () => app.storage.rows('select id, org_id, user_id from conversations order by created_at, id');
  const ids = async () => (await conversations()).map(({ id }) => id);
  const rolesIn = async (id: string) => {
    const rows = await app.storage.rows('select role from chat_messages where conversation_id = ? order by position', [
      id,
    ]);
    return rows.map(({ role }) => role);
  };

  /** Everything that is stored in the conversation. */
  const contentsOf = async (id: string) => [
    await app.storage.rows('select * from conversations where id = ?', [id]),
    await app.storage.rows('select * from chat_messages where conversation_id = ? order by position', [id]),
  ];

  /** That a turn of `person` begins a conversation of theirs, with nothing in it but itself, and leaves `others` alone. */
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

  it('75 without a conversationId a new one begins', async () => {
    await expectNew(avery, undefined);
    await expectNew(avery, undefined);
  });

  it('76 the id of an own one appends to it', async () => {
    const { id } = await turn(avery);
    expect((await turn(avery, id)).id).to.equal(id);
    expect(await rolesIn(id)).to.deep.equal(['USER', 'ASSISTANT', 'USER', 'ASSISTANT']);
    expect(await ids()).to.deep.equal([id]);
  });

  it('77 an id that does not exist begins a new one', async () => {
    await expectNew(avery, nonexistent);
  });

  it("78 a colleague's begins a new one", async () => {
    const { id } = await turn(avery);
    await expectNew(colleague, id, avery.user.organization.id);
  });

  it("79 another organization's begins a new one", async () => {
    const { id } = await turn(avery);
    await expectNew(stranger, id);
  });

  for (const [what, conversationId] of [
    ['a number', 7],
    ['an object', { id: nonexistent }],
    ['an array', [nonexistent]],
    ['a boolean', true],
    ['null', null],
    ['an empty string', ''],
    ['10 kB', 'c'.repeat(10_240)],
    ['a pattern', 'c%'],
    ['text that no column holds', 'c\0\ud800'],
  ] as const) {
    it(`80 ${what} begins a new one`, async () => {
      const { id } = await turn(avery);
      await expectNew(avery, conversationId);
      expect(await rolesIn(id)).to.deep.equal(['USER', 'ASSISTANT']);
    });
  }

  it('80 an own id in an array, in capitals or with a space begins a new one', async () => {
    const { id } = await turn(avery);
    for (const conversationId of [[id], id.toUpperCase(), ` ${id}`, `${id}\n`]) await expectNew(avery, conversationId);
  });

  it('81 one that is foreign and one that does not exist cannot be told apart', async () => {
    const { id } = await turn(avery);
    /** What the person gets to see, but for what is new in every answer. */
    const seen = async (person: Person, conversationId: string) => {
      const { headers, text } = await turn(person, conversationId);
      for (const varying of ['x-conversation-id', 'date']) headers.delete(varying);
      return { headers: [...headers], text };
    };
    for (const person of [colleague, stranger]) {
      expect(await seen(person, id)).to.deep.equal(await seen(person, nonexistent));
    }
  });

  it('82 foreign rows stay unchanged', async () => {
    const { id } = await turn(avery);
    const before = await contentsOf(id);
    for (const person of [colleague, stranger]) await turn(person, id);
    expect(await contentsOf(id)).to.deep.equal(before);
  });

  it('83 a user moved to another organization cannot reach the old one', async () => {
    const { administration } = app.storage.database;
    const { id } = await turn(avery);
    const before = await contentsOf(id);
    const elsewhere = stranger.user.organization.id;
    await administration.moveUser(avery.user.id, elsewhere);
    await expectNew(avery, id, elsewhere);
    expect(await contentsOf(id)).to.deep.equal(before);
    await administration.moveUser(avery.user.id, avery.user.organization.id);
    expect((await turn(avery, id)).id, 'back again').to.equal(id);
  });
});
