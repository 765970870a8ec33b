/**
 * Wraps a large value that a reply needs only until it is sent, such as the conversation and its prompt. The returned
 * function returns the value on its first call and releases it.
 *
 * A suspended async function retains everything that its parameters and variables refer to. A function that awaits a
 * streamed reply therefore passes the wrapper on and never unwraps it. Otherwise each open stream would hold its prompt
 * in memory until the reply has ended.
 */
export function takeOnce<T extends object>(value: T): () => T {
  let current: T | undefined = value;
  return () => {
    if (current === undefined) throw new Error('result');
    const result = current;
    current = undefined;
    return result;
  };
}
