import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ConfigError } from '../../../server/config/config.ts';
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

  it('refuses an address that is not PostgreSQL’s', () => {
    expect(() => loadDatabaseSettings({ DATABASE_URL: 'mysql://localhost' })).to.throw(
      ConfigError,
      'DATABASE_URL must be a postgresql:// address.',
    );
  });

  it('refuses the embedded database in production', () => {
    expect(() => loadDatabaseSettings({ NODE_ENV: 'production' })).to.throw(ConfigError, 'DATABASE_URL is needed');
  });
});
