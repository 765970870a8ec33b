import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const addressRecord = 1;
const questionAt = 12;

/** A name server on loopback that has the same IPv4 addresses for every name, and says so for a second. */
export async function startNameServer(addresses: readonly string[]) {
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

/** Of a query with one question (RFC 1035). What is no question for IPv4 addresses has an empty answer. */
function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = query.indexOf(0, questionAt) + 1;
  const found = query.readUInt16BE(nameEnd) === addressRecord ? addresses : [];
  const question = query.subarray(questionAt, nameEnd + 4);
  const header = Buffer.alloc(questionAt);
  query.copy(header, 0, 0, 2);
  // A response, recursion available, no error; one question and its answers.
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  return Buffer.concat([header, question, ...found.map(recordOf)]);
}

/** The name is the question's, by a pointer; type A, class IN, valid for a second. */
function recordOf(address: string): Buffer {
  return Buffer.from([0xc0, questionAt, 0, addressRecord, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
}
