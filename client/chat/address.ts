/**
 * Throws a `TypeError` for an address that `fetch` refuses in the same way as it reports a broken connection. A path passes on a page, and
 * for another `fetch` than the global one, which may complete it.
 */
export function checkAddress(address: string, fetch?: typeof globalThis.fetch): void {
  // Before its first slash a path has no colon, but `localhost:3000/api/chat` has.
  const isPath = !/^[^/?#]*:/.test(address);
  if (isPath ? fetch !== globalThis.fetch || globalThis.location : /^\s*https?:\/\/[^/?#]/i.test(address)) return;
  throw new TypeError(`The address "${address}" is not a URL with http or https.`);
}
