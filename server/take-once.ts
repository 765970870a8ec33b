/**
 * Wraps a large value that a reply needs only until it is sent, such as the conversation and its prompt. The first call of the
 * returned function returns the value and forgets it.
 *
 * A suspended async function keeps everything that its parameters and variables refer to. A function that waits for a streamed
 * reply therefore passes the wrapped value on and never takes it. Otherwise each open stream would hold its prompt in memory
 * until the reply has ended.
 */
export function takeOnce<T extends object>(value: T): () => T {
  let held: T | undefined = value;
  return () => {
    if (held === undefined) throw new Error('The value was taken before.');
    const taken = held;
    held = undefined;
    return taken;
  };
}
