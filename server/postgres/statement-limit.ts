import { cancelStatement } from './cancel-statement.ts';
import type { Connected } from './server-search.ts';

/** How long a server gets to say that it has cancelled a statement, before the connection is closed. */
const farewellMilliseconds = 1_000;

/**
 * Ends a statement that takes too long: first at the server, so that it neither goes on nor keeps its locks, then here.
 * It is no setting of the session, because poolers refuse those.
 */
export function createStatementLimit(connected: Connected, milliseconds: number) {
  const { client } = connected;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let exceeded = false;

  function exceed(): void {
    exceeded = true;
    void cancelStatement(connected);
    timer = setTimeout(() => void client.end(), farewellMilliseconds);
  }

  client.on('drain', () => clearTimeout(timer));
  client.on('end', () => {
    ended = true;
    clearTimeout(timer);
  });
  return {
    /** To be called with each statement. */
    begin(): void {
      clearTimeout(timer);
      if (!ended) timer = setTimeout(exceed, milliseconds);
    },
    /** Whether a cancellation is, or was, on its way: it could meet the next statement. */
    get exceeded(): boolean {
      return exceeded;
    },
  };
}
