import { once } from 'node:events';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createTlsFiles, servedCertificateFingerprint } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { perSuite, perTest } from '../support/per-suite.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { question } from '../support/test-app.ts';

describe('a process that receives SIGHUP', function () {
  this.timeout(120_000);
  let served: ReturnType<typeof serveInProcess>;

  const data = perSuite(() => temporaryDirectory());
  const provider = perSuite(() => createScriptedProvider());
  afterEach(async () => {
    served.kill('SIGKILL');
    await served.exited;
    provider.reset();
  });
  const directory = perTest(() => temporaryDirectory());
  const files = perTest(() => createTlsFiles(directory.path));

  function serve(variables: Record<string, string> = {}): Promise<string> {
    served = serveInProcess({ DATA_DIR: data.path, ANTHROPIC_BASE_URL: provider.url, ...variables });
    return served.url;
  }

  /** Creates an unrelated certificate and key. */
  async function createUnrelatedFiles() {
    const path = join(directory.path, 'other');
    await mkdir(path);
    return createTlsFiles(path);
  }

  const serveTls = () => serve({ TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: files.keyFile });

  /** Resolves with the log lines that have this message once there are `count` of them. */
  const logged = (sentence: string, count = 1) =>
    eventually(() => {
      const lines = served.output.filter((line) => line.includes(`"msg":"${sentence}"`));
      return lines.length >= count ? lines.map((line) => JSON.parse(line)) : undefined;
    });

  async function ask(url: string, agent: Agent): Promise<IncomingMessage> {
    const headers = { 'Content-Type': 'application/json' };
    const call = request(`${url}/api/chat/demo`, { method: 'POST', headers, agent, ca: files.authority, family: 4 });
    call.end(JSON.stringify(question()));
    const [response] = await once(call, 'response');
    return response;
  }

  it('uses a renewed certificate for new connections without interrupting replies or open connections', async () => {
    const url = await serveTls();
    expect(await servedCertificateFingerprint(url)).to.equal(files.initialFingerprint);
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.answerWith({ steps: [{ text: 'Half, ' }, { wait: promise }, { text: 'whole.' }] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const reply = await ask(url, agent);

    const renewed = await files.renew();
    served.kill('SIGHUP');
    const [line] = await logged('TLS certificate replaced');
    expect(line.validTo).to.match(/^\d{4}-\d\d-\d\dT/);
    expect(await servedCertificateFingerprint(url)).to.equal(renewed);
    resolve();
    expect(await text(reply)).to.equal('Half, whole.');
    const { socket } = reply;
    const next = await ask(url, agent);
    expect(await text(next)).to.include('whole.');
    expect(next.socket).to.equal(socket);
    agent.destroy();

    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);
  });

  it('logs an unusable certificate each time, continues with the current one, and loads the next valid one', async () => {
    const url = await serveTls();
    const sentence = 'cannot reload the TLS certificate; the previous one stays in use';
    let failures = 0;
    async function failedReload(): Promise<{ message?: string; code?: string }> {
      served.kill('SIGHUP');
      failures += 1;
      const { level, err } = (await logged(sentence, failures)).at(-1);
      expect(level).to.equal(50);
      expect(await servedCertificateFingerprint(url)).to.equal(files.initialFingerprint);
      return err;
    }

    await writeFile(files.certFile, 'no certificate');
    expect((await failedReload()).code).to.match(/^ERR_OSSL_PEM/);
    await writeFile(files.certFile, '');
    await failedReload();
    await files.renew();
    await rename(files.keyFile, `${files.keyFile}.kept`);
    expect((await failedReload()).code).to.equal('ENOENT');
    const other = await createUnrelatedFiles();
    await rename(other.keyFile, files.keyFile);
    expect((await failedReload()).message).to.equal('The key does not belong to the certificate.');

    await rename(`${files.keyFile}.kept`, files.keyFile);
    served.kill('SIGHUP');
    await logged('TLS certificate replaced');
    expect(await servedCertificateFingerprint(url)).not.to.equal(files.initialFingerprint);
  });

  it('logs that the certificate is unchanged, and stops if TLS is not configured', async () => {
    const url = await serveTls();
    served.kill('SIGHUP');
    await logged('TLS certificate unchanged');
    expect(await servedCertificateFingerprint(url)).to.equal(files.initialFingerprint);
    served.kill('SIGTERM');
    expect(await served.exited).to.equal(0);

    await serve();
    served.kill('SIGHUP');
    expect(await served.exited).to.equal(0);
  });

  it('refuses to start with a key that does not match the certificate', async () => {
    const other = await createUnrelatedFiles();
    served = serveInProcess({ DATA_DIR: data.path, TLS_CERT_FILE: files.certFile, TLS_KEY_FILE: other.keyFile });
    expect(await served.exited).to.equal(1);
    expect(served.output).to.deep.equal([
      'Cannot open TLS (TLS_CERT_FILE, TLS_KEY_FILE): The key does not belong to the certificate.',
    ]);
  });
});
