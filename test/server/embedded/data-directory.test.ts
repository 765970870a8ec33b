import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { loadOrCreateSessionSecret, lockDatabaseDirectory } from '../../../server/embedded/data-directory.ts';
import { perTest } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

describe('the data directory', () => {
  const directory = perTest(() => temporaryDirectory());

  it('restricts its permissions to the owner, even if it existed before', async () => {
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    for (const mode of [0o755, 0o750, 0o705]) {
      await chmod(directory.path, mode);
      lockDatabaseDirectory(directory.path).unlock();
      expect(await modeOf(directory.path), mode.toString(8)).to.equal(0o700);
    }
    const inside = join(directory.path, 'new');
    loadOrCreateSessionSecret(inside);
    expect(await modeOf(inside)).to.equal(0o700);
    expect(await modeOf(join(inside, 'session-secret'))).to.equal(0o600);
  });

  it('has a session secret of 32 random bytes that is generated once', async () => {
    const made = loadOrCreateSessionSecret(directory.path);
    expect(made).to.match(/^[0-9a-f]{64}$/);
    expect(loadOrCreateSessionSecret(directory.path)).to.equal(made);
    expect(await readdir(directory.path)).to.deep.equal(['session-secret']);
  });
});
