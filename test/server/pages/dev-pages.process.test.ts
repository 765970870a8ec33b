import { createServer } from 'node:http';
import { expect } from 'chai';
import express from 'express';
import { after, before, describe, it } from 'mocha';
import { createDevPages } from '../../../server/pages/dev-pages.ts';
import { diagramPage, pages } from '../../../shared/interface.ts';
import { listen } from '../../support/loopback.ts';
import { root } from '../../support/served-process.ts';

describe('the pages of the dev server', () => {
  const server = createServer();
  let address: string;
  const opened = new AsyncDisposableStack();

  before(async () => {
    const { handler, close } = await createDevPages(root, server);
    opened.defer(close);
    server.on('request', express().use(handler));
    const listening = await listen(server);
    opened.defer(listening.close);
    address = `http://127.0.0.1:${listening.port}`;
  });
  after(() => opened.disposeAsync());

  for (const path of Object.values(pages)) {
    it(`include the styled shell, and modules that the server serves, at ${path}`, async () => {
      const response = await fetch(new URL(path, address));
      expect(response.status).to.equal(200);
      const html = await response.text();
      expect(html).to.include('.shell-header');
      const [, main = ''] = /src="([^"]*main\.tsx)"/.exec(html) ?? [];
      expect((await fetch(new URL(main, new URL(path, address)))).status).to.equal(200);
    });
  }

  it('include the diagram page, whose modules its opaque origin can import', async () => {
    const response = await fetch(`${address}${diagramPage.path}`);
    expect(response.headers.get('content-security-policy')).to.include('sandbox allow-scripts');
    const [, script = ''] = /src="([^"]*diagram\.ts)"/.exec(await response.text()) ?? [];
    const module = await fetch(new URL(script, `${address}${diagramPage.path}`), { headers: { Origin: 'null' } });
    expect(module.status).to.equal(200);
    expect(module.headers.get('access-control-allow-origin')).to.equal('null');
  });
});
