/** Lets every request that reads the time fail with an error that nothing catches before the error handler. */
export function brokenClock(): never {
  throw new TypeError('A bug.');
}
