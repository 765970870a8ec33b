import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { openDatabase } from '../../../server/database/database.ts';
import { closing } from '../../support/closing.ts';
import { migratedDataDirectory } from '../../support/migrated-cluster.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { signIn } from '../../support/people.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { refusal } from './scenes.ts';

const silent = pino({ level: 'silent' });
const avery = { provider: 'google', subject: '1', name: 'Avery', email: null };

describe('openDatabase, embedded', () => {
  const data = ofSuite(() => migratedDataDirectory());

  it('finds again, after it was closed, what was stored', async () => {
    const settings = { kind: 'embedded', directory: join(data.path, 'database') } as const;
    const signInOnce = async () => {
      await using database = closing(await openDatabase(settings, silent));
      return await signIn(database, avery);
    };
    const person = await signInOnce();
    await using second = closing(await openDatabase(settings, silent));
    expect(await signIn(second, avery)).to.deep.equal(person);
  });
});

describe('ping', () => {
  it('resolves while the database answers and rejects when it does not', async () => {
    const { database, close } = await createTestDatabase();
    await database.ping();
    await close();
    expect(await refusal(database.ping())).to.be.instanceOf(Error);
  });
});
