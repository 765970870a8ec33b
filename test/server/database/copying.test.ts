import { expect } from 'chai';
import { describe, it } from 'mocha';
import { copiedTables } from '../../../server/database/copying.ts';
import { createTestDatabase } from '../../support/test-database.ts';

describe('copy-to', () => {
  it('leaves out no table but that of the migrations and one that only the release before uses', async () => {
    await using storage = await createTestDatabase();
    const tables = await storage.rows(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename not in ('schema_migrations', 'repeated_turns')`,
    );
    expect(tables.map(({ name }) => name)).to.have.members([...copiedTables]);
  });
});
