import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { createBrowser } from '../support/browser.ts';
import { readDocument } from '../support/document.ts';
import { exampleOnboarding } from '../support/example-onboarding.ts';
import { startPostgres } from '../support/postgres-process.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { question } from '../support/test-app.ts';

describe('docs/interface/errors.md, on a PostgreSQL server', () => {
  it('shows what live chat answers ten seconds after that server was stopped: INTERNAL', async () => {
    const directory = await temporaryDirectory();
    const postgres = await startPostgres(directory.path);
    const served = serveInProcess({ DATABASE_URL: postgres.url, DATA_DIR: `${directory.path}/data` });
    try {
      const browser = createBrowser(await served.url);
      await browser.signInWith('google', 'avery@example.com');
      const post = (path: string, body: object) =>
        browser.request(path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        });
      expect((await post(routes.onboarding, exampleOnboarding)).status).to.equal(204);

      await postgres.stop();
      const refused = await post(routes.liveChat, question());
      const answer = `HTTP/1.1 ${refused.status} ${refused.statusText}\n\n${await refused.text()}\n`;
      const section = readDocument('docs/interface/errors.md').sectionUnder('### INTERNAL');
      expect(section).to.include(`\`\`\`text\n${answer}\`\`\``);
    } finally {
      served.kill('SIGTERM');
      await served.exited;
      await postgres.stop();
      await directory.remove();
    }
  }).timeout(120_000);
});
