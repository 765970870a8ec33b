import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { runProgram } from '../server/run-program.ts';
import { migratedDataDirectory } from '../support/migrated-cluster.ts';
import { ofSuite } from '../support/of-suite.ts';
import { serveInProcess } from '../support/served-process.ts';
import { post, question } from '../support/test-app.ts';

describe('npm run dev-session', function () {
  // Creating an embedded database takes seconds.
  this.timeout(60_000);
  let served: ReturnType<typeof serveInProcess>;
  let url: string;

  after(async () => {
    served.kill('SIGTERM');
    await served.exited;
  });
  const data = ofSuite(() => migratedDataDirectory());
  before(async () => {
    served = serveInProcess({
      DATA_DIR: data.path,
      MICROSOFT_CLIENT_ID: 'of a real one',
      MICROSOFT_CLIENT_SECRET: 'of a real one',
    });
    url = await served.url;
  });

  const devSession = (words: readonly string[]) =>
    runProgram('../test/dev-session/main.ts', words, { PORT: new URL(url).port });

  async function statusOfLiveChat(line: string): Promise<number> {
    const [, cookie = ''] = /^Cookie: (\S+)\n$/.exec(line) ?? [];
    const response = await post(`${url}/api/chat`, question(), { Cookie: cookie });
    await response.body?.cancel();
    return response.status;
  }

  it('prints the header with which a request is from somebody who is signed in, and not onboarded', async () => {
    const { output, complaints } = await devSession(['blake@example.com']);
    expect(complaints).to.equal('');
    expect(await statusOfLiveChat(output)).to.equal(403);
  });

  it('onboards them too where it is asked, and once', async () => {
    for (const time of ['first', 'second']) {
      const { output } = await devSession(['avery@example.com', '--onboarded']);
      expect(await statusOfLiveChat(output), time).to.equal(200);
    }
  });

  it('names who is offered, where nobody has this name', async () => {
    const { code, output, complaints } = await devSession(['drew@example.com']);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(complaints).to.match(/There are .*avery@example\.com.*casey/);
  });
});
