import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { countedAddress } from '../requests/client-address.ts';

type Connection = { address: string; socket: Socket; responses: Set<ServerResponse> };

/**
 * Lets one address have `most` connections that are idle or whose request has not wholly arrived. Of more, the one that has
 * been so for the longest is closed. A newcomer is let in rather than refused: who shares an address with somebody that holds
 * connections open still gets through, and the one who holds them loses them.
 *
 * A connection whose request is being answered counts for nothing, and is never closed.
 */
export function createIdleConnections(most: number) {
  /** The connections of each address. The one that has been idle for the longest comes first. */
  const byAddress = new Map<string, Set<Connection>>();
  /** By the client's address and port: under TLS, requests come on another socket than the one that was accepted. */
  const byClient = new Map<string, Connection>();

  function closeExcess(connections: ReadonlySet<Connection>): void {
    if (connections.size <= most) return;
    const idle = [...connections].filter(isIdle);
    for (const { socket } of idle.slice(0, Math.max(0, idle.length - most))) socket.destroy();
  }

  return {
    /** A connection was accepted. */
    accepted(socket: Socket): void {
      const { remoteAddress } = socket;
      // It is closed already.
      if (remoteAddress === undefined) return;
      const address = countedAddress(remoteAddress);
      const client = clientOf(socket);
      const connections = byAddress.get(address) ?? new Set();
      const connection: Connection = { address, socket, responses: new Set() };
      byAddress.set(address, connections.add(connection));
      byClient.set(client, connection);
      socket.once('close', () => {
        byClient.delete(client);
        connections.delete(connection);
        if (connections.size === 0) byAddress.delete(address);
      });
      closeExcess(connections);
    },

    /** The head of a request has arrived on `socket`. */
    began(socket: Socket, response: ServerResponse): void {
      const connection = byClient.get(clientOf(socket));
      if (connection === undefined) return;
      connection.responses.add(response);
      response.once('close', () => {
        connection.responses.delete(response);
        const connections = byAddress.get(connection.address);
        // Now it is the one that has been idle for the shortest.
        if (connections?.delete(connection)) closeExcess(connections.add(connection));
      });
    },
  };
}

function clientOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Whether no request on it is being answered; one that has not wholly arrived is not, until it has an answer all the same. */
function isIdle({ responses }: Connection): boolean {
  return [...responses].every((response) => !response.req.complete && !response.headersSent);
}
