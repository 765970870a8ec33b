/** Makes a resource one that is closed with the scope it is declared in, also where a test fails: `await using x = closing(…)`. */
export function closing<T extends { close(): unknown }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, {
    async [Symbol.asyncDispose]() {
      await resource.close();
    },
  });
}
