/** What an application sent to PostgreSQL: `roundTrips` are the times it had to wait for the server to be ready again. */
export type PostgresCounts = { statements: number; roundTrips: number };

/**
 * Counts on the wire: a simple query is a statement and a round trip; of the extended protocol an execute is a statement and
 * a sync a round trip. Gives what takes the bytes of one connection, however they are cut.
 */
export function countPostgresMessages(counts: PostgresCounts): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  let begun = false;

  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    for (;;) {
      // The first message has no type before its length.
      const lengthAt = begun ? 1 : 0;
      if (unread.length < lengthAt + 4) return;
      const end = lengthAt + unread.readInt32BE(lengthAt);
      if (unread.length < end) return;
      const type = begun ? String.fromCharCode(unread[0] ?? 0) : '';
      if (type === 'Q' || type === 'E') counts.statements += 1;
      if (type === 'Q' || type === 'S') counts.roundTrips += 1;
      unread = unread.subarray(end);
      begun = true;
    }
  };
}
