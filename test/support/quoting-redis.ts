import { once } from 'node:events';
import { createServer } from 'node:net';

/** A Redis that lets everybody in and refuses the commands in `refused`, each with an error that quotes all it was sent. */
export async function createQuotingRedis(refused: readonly string[]) {
  const server = createServer((socket) => {
    let sent = '';
    socket.on('error', () => socket.destroy());
    socket.setEncoding('utf8').on('data', (text: string) => {
      // Several commands can come at once. Each is an array of texts, its name the first.
      for (const command of text.split(/(?=\*\d+\r\n\$)/)) {
        sent += command.replaceAll('\r\n', ' ');
        const name = command.split('\r\n')[2]?.toLowerCase() ?? '';
        if (refused.includes(name)) socket.write(`-ERR what was sent: ${sent}\r\n`);
        else if (name === 'info') socket.write('$9\r\nloading:0\r\n');
        else socket.write('+OK\r\n');
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}
