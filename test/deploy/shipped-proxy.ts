import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { selfSign } from '../support/certificates.ts';
import { readText } from '../support/document.ts';
import { eventually } from '../support/eventually.ts';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';
import { temporaryDirectory } from '../support/served-process.ts';

const addressRecord = 1;
const questionAt = 12;

/** Starts a name server on loopback that resolves every name to the same IPv4 addresses, with a TTL of one second. */
async function startNameServer(addresses: readonly string[]) {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answerTo(query, addresses), port, address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    async close(): Promise<void> {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** Responds to a query with one question (RFC 1035). Only questions for IPv4 addresses have answers. */
function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = query.indexOf(0, questionAt) + 1;
  const found = query.readUInt16BE(nameEnd) === addressRecord ? addresses : [];
  const question = query.subarray(questionAt, nameEnd + 4);
  const header = Buffer.alloc(questionAt);
  query.copy(header, 0, 0, 2);
  // Flags: response, recursion desired and available, no error. Then the counts of questions and answers.
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, question, ...found.map(recordOf)]);
}

/** Returns a record of type A and class IN with a TTL of one second. Its name is a pointer to the name in the question. */
function recordOf(address: string): Buffer {
  return Buffer.from([0xc0, questionAt, 0, addressRecord, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
}

export const proxyHost = 'chat.example.com';

/** Either the addresses that the name server returns, with a common port, or two local ports. */
export type InstanceAddresses = { addresses: readonly string[]; port: number } | { ports: readonly [number, number] };

export type ShippedProxy = Awaited<ReturnType<typeof startShippedProxy>>;

/** Starts nginx with docs/deploy/nginx.conf. Replaces only paths, ports, addresses, and the strings in `changes`. */
export async function startShippedProxy(instances: InstanceAddresses, changes: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const files = await temporaryDirectory();
  opened.defer(files.remove);
  // The workers of nginx do not run as root.
  await chmod(files.path, 0o711);
  const challenges = join(files.path, 'acme/.well-known/acme-challenge');
  await mkdir(challenges, { recursive: true });
  const ca = await createCertificate(files.path);
  const port = await findNonEphemeralPort();
  const plainPort = await findNonEphemeralPort();
  const names = await startNameServer('addresses' in instances ? instances.addresses : []);
  opened.defer(names.close);

  const configuration = replaced(readText('docs/deploy/nginx.conf'), {
    '/etc/nginx/certs': files.path,
    '/etc/nginx/instances.conf': join(files.path, 'instances.conf'),
    '/var/log/nginx': files.path,
    '/var/cache/nginx': files.path,
    '/var/www/acme': join(files.path, 'acme'),
    'listen 443': `listen 127.0.0.1:${port}`,
    'listen [::]:443': `listen [::1]:${port}`,
    'listen 80': `listen 127.0.0.1:${plainPort}`,
    'listen [::]:80': `listen [::1]:${plainPort}`,
    ...changes,
  });
  const instancesConfiguration =
    'addresses' in instances
      ? replaced(readText('docs/deploy/nginx-instances-by-name.conf'), {
          '127.0.0.11': `127.0.0.1:${names.port}`,
          'app:3000': `app:${instances.port}`,
        })
      : replaced(readText('docs/deploy/nginx-instances-by-port.conf'), {
          '127.0.0.1:3001': `127.0.0.1:${instances.ports[0]}`,
          '127.0.0.1:3002': `127.0.0.1:${instances.ports[1]}`,
        });
  const file = join(files.path, 'nginx.conf');
  await writeFile(join(files.path, 'instances.conf'), instancesConfiguration);
  await writeFile(join(files.path, 'server-name.conf'), `server_name ${proxyHost};\n`);
  await writeFile(file, configuration);

  const parameters = ['-p', files.path, '-e', 'stderr', '-c', file];
  const output = await open(join(files.path, 'output'), 'a');
  opened.defer(() => output.close());
  const child = spawn('nginx', [...parameters, '-g', `daemon off; pid ${files.path}/pid;`], {
    stdio: ['ignore', output.fd, output.fd],
  });
  opened.defer(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });
  await eventually(() => accepts(port));

  const parts = opened.move();
  return {
    port,
    plainPort,
    ca,
    /** Arguments for another command of nginx with the same configuration. */
    parameters,
    /** The master process, which is the parent of the workers. */
    pid: child.pid ?? 0,
    challenges,
    async log(): Promise<Record<string, unknown>[]> {
      const text = await readFile(join(files.path, 'access.log'), 'utf8');
      return text
        .trimEnd()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
    async errorLog(): Promise<string> {
      const [errors, written] = [join(files.path, 'error.log'), join(files.path, 'output')];
      return (await readFile(errors, 'utf8')) + (await readFile(written, 'utf8'));
    },
    close: () => parts.disposeAsync(),
  };
}

/** The key and certificate of every proxy of this process, because creating an RSA key takes a quarter of a second of CPU time. */
let pem: Promise<string> | undefined;

async function createCertificate(directory: string): Promise<string> {
  const subject = ['-subj', `/CN=${proxyHost}`, '-addext', `subjectAltName=DNS:${proxyHost}`];
  pem ??= selfSign(subject, ['-newkey', 'rsa:2048']);
  for (const name of ['fullchain.pem', 'privkey.pem']) await writeFile(join(directory, name), await pem);
  return pem;
}

function replaced(text: string, replacements: Record<string, string>): string {
  let result = text;
  for (const [original, replacement] of Object.entries(replacements)) {
    if (!result.includes(original)) throw new Error(`There is no ${original} to replace.`);
    result = result.replaceAll(original, () => replacement);
  }
  return result;
}

async function accepts(port: number): Promise<true | undefined> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<true | undefined>((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(undefined));
  }).finally(() => socket.destroy());
}
