/**
 * Throws a `TypeError` that says what is wrong with the address of a chat route, for which `fetch` would reject as it does for a broken
 * connection. A path passes, because a server that renders a page creates conversations without sending anything.
 */
export function checkAddress(address: string): void {
  // Before its first slash a path has no colon, but `localhost:3000/api/chat` has.
  const isPath = !/^[^/?#]*:/.test(address);
  if (isPath) return;
  if (!/^\s*https?:/i.test(address)) throw new TypeError(`The address "${address}" has no http or https scheme.`);
  const { username, password } = parse(address);
  // The message does not quote the address, because errors are logged.
  if (username || password) throw new TypeError('The address contains a user name or password, which fetch refuses.');
}

/** Throws a `TypeError` for a path too, unless this is a page or the caller has its own `fetch`, which may complete it. */
export function checkSendableAddress(address: string, fetch: typeof globalThis.fetch): void {
  checkAddress(address);
  if (fetch === globalThis.fetch) parse(address, globalThis.document?.baseURI ?? globalThis.location?.href);
}

function parse(address: string, page?: string): URL {
  try {
    return new URL(address, page);
  } catch (cause) {
    const isPath = page === undefined && !/^\s*https?:/i.test(address);
    const reason = isPath ? 'has no http or https scheme, which only a page can complete' : 'is not a valid URL';
    throw new TypeError(`The address "${address}" ${reason}.`, { cause });
  }
}
