import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadDatabaseSettings } from '../../../server/config/database-settings.ts';

describe('loadDatabaseSettings', () => {
  it('gives the embedded database where nothing is set, or only to nothing', () => {
    const embedded = {
      databaseUrl: undefined,
      databaseMigrationUrl: undefined,
      dataDirectory: '.data',
      retainDays: undefined,
      publicUrl: 'http://localhost:3000',
    };
    expect(loadDatabaseSettings({})).to.deep.equal(embedded);
    expect(loadDatabaseSettings({ DATABASE_URL: '', DATA_DIR: '', NODE_ENV: '' })).to.deep.equal(embedded);
  });

  it('does not look at what has nothing to do with the database', () => {
    const environment = { NODE_ENV: 'production', DATABASE_URL: 'postgresql://localhost/advice', PORT: 'eighty' };
    expect(loadDatabaseSettings(environment).databaseUrl).to.equal('postgresql://localhost/advice');
  });
});
