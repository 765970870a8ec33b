import { expect } from 'chai';
import { describe, it } from 'mocha';
import { copiedTables } from '../../../server/database/administration.ts';
import { createTestDatabase } from '../../support/test-database.ts';

describe('copy-to', () => {
  it('leaves out no table but that of the migrations', async () => {
    await using storage = await createTestDatabase();
    const tables = await storage.rows(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations'`,
    );
    expect(tables.map(({ name }) => name)).to.have.members([...copiedTables]);
  });
});
