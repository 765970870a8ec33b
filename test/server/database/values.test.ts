import { expect } from 'chai';
import { describe, it } from 'mocha';
import { storableText } from '../../../server/database/values.ts';
import { onboardingSchema } from '../../../shared/onboarding.ts';
import { auditSource, findPerson, signIn } from '../../support/people.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { answerIn } from './scenes.ts';

const typed = 'NUL \0, lone \uD83D and \uDE00, whole \u{1F600}, \u05D0';
const stored = 'NUL \uFFFD, lone \uFFFD and \uFFFD, whole \u{1F600}, \u05D0';

const { company, profile } = onboardingSchema.shape;
const filled = (fields: object, text: string) => Object.fromEntries(Object.keys(fields).map((field) => [field, text]));

describe('storableText', () => {
  it('replaces only NUL and lone surrogates with U+FFFD', () => {
    expect(storableText(typed)).to.equal(stored);
    expect(storableText('\0\0')).to.equal('\uFFFD\uFFFD');
    expect(storableText('')).to.equal('');
  });
});

describe('user input', () => {
  const storage = perSuite(() => createTestDatabase());

  it('replaces characters that PostgreSQL cannot hold with U+FFFD, in every field', async () => {
    const { turns, engagements } = storage.database;
    const { id: userId, organization } = await signIn(storage.database, {
      provider: 'google',
      subject: 'stored text',
      name: typed,
      email: typed,
    });
    const scope = { userId, orgId: organization.id };
    expect(organization.name).to.equal(`${stored}’s organization`);
    await engagements.begin(
      scope,
      onboardingSchema.parse({
        company: filled(company.shape, typed),
        profile: filled(profile.shape, typed),
        engagement: { focus: typed, hypotheses: [typed], unknowns: [typed] },
      }),
      { ...auditSource, requestId: typed },
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
      organization: filled(company.shape, stored),
      user: { name: stored, ...filled(profile.shape, stored) },
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
});
