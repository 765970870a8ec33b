/**
 * Counts what an application sends to Redis: commands, which are arrays of strings, each with its length before it. A
 * transaction is one, for it is sent in one piece. Gives what takes the bytes of one connection, however they are cut.
 */
export function countRedisCommands(counts: { commands: number }): (bytes: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  let inTransaction = false;

  /** The number in the line at `from` after its mark, and where the next line begins; undefined where the line is not whole. */
  function line(from: number) {
    const end = unread.indexOf('\r\n', from);
    return end === -1 ? undefined : { number: Number(unread.toString('latin1', from + 1, end)), next: end + 2 };
  }

  /** Where the command that begins the unread bytes ends; undefined where it is not whole. */
  function endOfCommand(): number | undefined {
    const array = line(0);
    let at = array?.next ?? 0;
    for (let strings = array?.number; strings !== undefined && strings > 0; strings -= 1) {
      const string = line(at);
      if (string === undefined) return undefined;
      at = string.next + string.number + 2;
    }
    return array === undefined || at > unread.length ? undefined : at;
  }

  return (bytes) => {
    unread = Buffer.concat([unread, bytes]);
    for (let end = endOfCommand(); end !== undefined; end = endOfCommand()) {
      const name = unread.toString('latin1', 0, end).split('\r\n')[2]?.toLowerCase();
      if (name === 'multi') inTransaction = true;
      if (name === 'exec') inTransaction = false;
      if (!inTransaction) counts.commands += 1;
      unread = unread.subarray(end);
    }
  };
}
