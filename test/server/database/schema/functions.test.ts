import { expect } from 'chai';
import { describe, it } from 'mocha';
import { functionSignatures } from '../../../../server/database/schema/functions.ts';
import { findPendingSteps, migrate } from '../../../../server/database/schema/run-migrations.ts';
import { perTest } from '../../../support/per-suite.ts';
import { createTestDatabase } from '../../../support/test-database.ts';
import { newcomer, refusal } from '../scenes.ts';

describe('the database functions', () => {
  const storage = perTest(() => createTestDatabase());

  const comment = async () =>
    String((await storage.rows(`select obj_description('schema_migrations'::regclass) as comment`))[0]?.comment);
  const setComment = (text: string) => storage.rows(`comment on table schema_migrations is '${text}'`);
  /** Simulates the functions of another release: without `sign_in`, every sign-in fails. */
  const replaceSignIn = () => storage.rows('alter function sign_in rename to sign_in_of_another_release');

  it('are exactly those that have a file', async () => {
    const rows = await storage.rows(
      `select coalesce(signature, pg_proc.oid::regprocedure::text) as signature
         from pg_proc left join json_array_elements_text(?::json) as expected (signature) on to_regprocedure(signature) = pg_proc.oid
        where pronamespace = 'public'::regnamespace order by proname collate "C"`,
      [JSON.stringify(functionSignatures)],
    );
    expect(rows.map(({ signature }) => signature)).to.deep.equal(functionSignatures);
  });

  for (const [which, release] of [
    ['of an earlier release', '0.9.10'],
    ['of another commit of this release', undefined],
    ['of an unknown release', ''],
  ] as const) {
    it(`${which} are replaced`, async () => {
      const ours = await comment();
      await replaceSignIn();
      const theirs = ours.replace(/sha256 .*/, 'sha256 other');
      await setComment(release === undefined ? theirs : release && theirs.replace(/of \S+,/, `of ${release},`));
      expect(await findPendingSteps(storage.orm)).to.deep.equal(['functions']);
      expect(await migrate(storage.orm, { isShared: false })).to.deep.equal(['functions']);
      expect(await comment()).to.equal(ours);
      await newcomer(storage, 'Avery');
      await storage.rows('drop function sign_in_of_another_release');
    });
  }

  it('of a later release are not replaced', async () => {
    const later = 'Functions of 10.0.0-rc.1, sha256 other';
    await setComment(later);
    await replaceSignIn();
    expect(await findPendingSteps(storage.orm)).to.deep.equal([]);
    expect(await migrate(storage.orm, { isShared: false })).to.deep.equal([]);
    expect(await comment()).to.equal(later);
    expect((await refusal(newcomer(storage, 'Avery'))).message).to.include('does not exist');
  });
});
