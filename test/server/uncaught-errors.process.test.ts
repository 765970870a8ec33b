import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createMigratedDataDirectory } from '../support/migrated-cluster.ts';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { root, serveInProcess } from '../support/served-process.ts';
import { post, question } from '../support/test-app.ts';

describe('an uncaught exception', () => {
  const data = perSuite(() => createMigratedDataDirectory());
  const provider = perSuite(() => createScriptedProvider());

  // Node passes an error that a callback throws to the same listener.
  it('in a promise is logged without its message; replies in flight finish, and the process exits with 1', async () => {
    const served = serveInProcess({
      NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test/support/throwing-preload.ts'))}`,
      DATA_DIR: data.path,
      ANTHROPIC_BASE_URL: provider.url,
      SHUTDOWN_GRACE_MS: '600000',
    });
    const url = await served.url;
    const finished = Promise.withResolvers<void>();
    provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: finished.promise }, { text: 'whole.' }] });
    const demo = (content: string) => post(`${url}/api/chat/demo`, question(content));

    const reply = await demo('Where do we start?');
    const broken = await demo('a promise breaks');
    const line = await served.printed(/"msg":"uncaught exception"/);
    expect(JSON.parse(line)).to.deep.include({ level: 60, origin: 'unhandledRejection' });
    expect(line).not.to.include('broken in');
    expect(JSON.parse(line).err.stack).to.match(/^at test\/support\/throwing-preload\.ts:/);
    finished.resolve();
    expect([await reply.text(), await broken.text()]).to.deep.equal(['Half, whole.', 'Half, whole.']);
    expect(await served.exited).to.equal(1);
  });
});
