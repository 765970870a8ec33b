/** Makes a closable resource disposable, so that it is closed even if the test fails: `await using x = closing(…)`. */
export function closing<T extends { close(): unknown }>(resource: T): T & AsyncDisposable {
  return Object.assign(resource, {
    async [Symbol.asyncDispose]() {
      await resource.close();
    },
  });
}
