import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { createScriptedProvider } from '../support/scripted-provider.ts';
import { serveInProcess, temporaryDirectory } from '../support/served-process.ts';
import { runProgram } from './run-program.ts';

const password = 'canary/4f7e9d%';
const key = 'sk-canary-4f7e9d';
const asksForPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);

/** PostgreSQL's error for a wrong password, with a message of 22 KB that quotes the password. */
function refusal(sent: string): Buffer {
  const message = `it was not ${sent}\nnor ${encodeURIComponent(sent)} `.padEnd(22_000, 'x');
  const fields = Buffer.from(`SFATAL\0C28P01\0M${message}\0D${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe('a program that cannot connect to a service', () => {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => {
      socket.write(asksForPassword);
      socket.once('data', (sent) => socket.end(refusal(sent.subarray(5, -1).toString())));
    });
  });
  let databaseUrl: string;

  const data = perSuite(() => temporaryDirectory());
  const provider = perSuite(() => createScriptedProvider());
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    databaseUrl = `postgresql://operator:${encodeURIComponent(password)}@127.0.0.1:${port}/advice`;
  });
  after(() => server.close());

  it("prints the database's error on one line without the password", async () => {
    const served = serveInProcess({ DATABASE_URL: databaseUrl, DATA_DIR: data.path });
    expect(await served.exited).to.equal(1);
    expect(served.output).to.have.length(1);
    const [line = ''] = served.output;
    expect(line).to.match(/^Cannot open the database \(DATABASE_URL, DATA_DIR\): it was not …$/);
  });

  it('prints neither the password nor the API key if an error quotes them to doctor', async () => {
    provider.answerWith(({ headers }) => ({
      refuse: {
        status: 401,
        type: 'authentication_error',
        message: `not ${headers.authorization}`.padEnd(22_000, ' x'),
      },
    }));
    const { code, output } = await runProgram('doctor/main.ts', [], {
      DATABASE_URL: databaseUrl,
      ANTHROPIC_BASE_URL: provider.url,
      ANTHROPIC_API_KEY: key,
    });
    expect(code).to.equal(1);
    expect(output)
      .to.match(/^FAILED +Database +it was not …/m)
      .and.match(/^FAILED +Model +UPSTREAM_AUTH \(401 .*not Bearer …/m);
    for (const secret of [password, encodeURIComponent(password), key]) expect(output).not.to.include(secret);
  });
});

describe('the command line of a program', () => {
  for (const [program, word, sentence] of [
    ['main.ts', '--prot', "Unknown option '--prot'"],
    ['migrate.ts', 'down', "Unexpected argument 'down'. This command does not take positional arguments"],
    ['doctor/main.ts', '--instances', "Option '--instances <value>' argument missing"],
  ] as const) {
    it(`${program} refuses ${word}, and does nothing else`, async () => {
      expect(await runProgram(program, [word], {})).to.deep.equal({
        code: 2,
        output: '',
        errorOutput: `${sentence}\n`,
      });
    });
  }
});
