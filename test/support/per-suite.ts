import { after, afterEach, before, beforeEach, type Suite } from 'mocha';

type Hook = typeof before;
type Closable = { close(): unknown } | { remove(): unknown } | { stop(): unknown };

/** Creates a resource before the first test and closes it after the last. Until it is created, it is an empty object. */
export const perSuite = shared(before, after);

export const perTest = shared(beforeEach, afterEach);

function shared(setUp: Hook, tearDown: Hook) {
  /** The open resources of each suite, in the order of their creation. They are closed in reverse order. */
  const opened = new WeakMap<Suite, (() => unknown)[]>();
  return <T extends object>(create: () => T | Promise<T>): T => {
    const resource = {} as T;
    setUp(async function () {
      const suite = this.test?.parent;
      if (suite === undefined) throw new Error('A hook belongs to a suite.');
      const created = await create();
      Object.defineProperties(resource, Object.getOwnPropertyDescriptors(created));
      opened.set(suite, [...(opened.get(suite) ?? []), () => close(created)]);
    });
    tearDown(async function () {
      const suite = this.test?.parent;
      for (const closeResource of (suite && opened.get(suite)?.splice(0).reverse()) ?? []) await closeResource();
    });
    return resource;
  };
}

function close(resource: object | Closable): unknown {
  if ('close' in resource) return resource.close();
  if ('remove' in resource) return resource.remove();
  return 'stop' in resource ? resource.stop() : undefined;
}
