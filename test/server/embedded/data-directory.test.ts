import { chmod, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { loadOrCreateSessionSecret, lockDatabaseDirectory } from '../../../server/embedded/data-directory.ts';
import { perTest } from '../../support/per-suite.ts';
import { temporaryDirectory } from '../../support/served-process.ts';

describe('the data directory', () => {
  let dataDirectory: string;

  const directory = perTest(() => temporaryDirectory());
  beforeEach(() => {
    dataDirectory = directory.path;
  });

  it('restricts its permissions to the owner, even if it existed before', async () => {
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    for (const mode of [0o755, 0o750, 0o705]) {
      await chmod(dataDirectory, mode);
      lockDatabaseDirectory(dataDirectory).unlock();
      expect(await modeOf(dataDirectory), mode.toString(8)).to.equal(0o700);
    }
    const inside = join(dataDirectory, 'new');
    loadOrCreateSessionSecret(inside);
    expect(await modeOf(inside)).to.equal(0o700);
    expect(await modeOf(join(inside, 'session-secret'))).to.equal(0o600);
  });

  it('has a session secret of 32 random bytes that is generated once', async () => {
    const made = loadOrCreateSessionSecret(dataDirectory);
    expect(made).to.match(/^[0-9a-f]{64}$/);
    expect(loadOrCreateSessionSecret(dataDirectory)).to.equal(made);
    expect(await readdir(dataDirectory)).to.deep.equal(['session-secret']);
  });
});
