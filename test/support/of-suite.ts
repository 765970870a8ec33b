import { after, afterEach, before, beforeEach, type Suite } from 'mocha';

type Hook = typeof before;
type Closable = { close(): unknown } | { remove(): unknown } | { stop(): unknown };

/**
 * Something that the tests of a suite share: it is made before the first of them, and closed after the last. Until then it is
 * an empty object.
 */
export const ofSuite = shared(before, after);

/** The same for each test: made before it, and closed after it. */
export const ofEachTest = shared(beforeEach, afterEach);

function shared(begin: Hook, end: Hook) {
  /** What is to be closed after each suite, or after a test of it: what was made last comes first. */
  const opened = new WeakMap<Suite, (() => unknown)[]>();
  return <T extends object>(make: () => T | Promise<T>): T => {
    const resource = {} as T;
    begin(async function () {
      const suite = this.test?.parent;
      if (suite === undefined) throw new Error('A hook belongs to a suite.');
      const made = await make();
      Object.defineProperties(resource, Object.getOwnPropertyDescriptors(made));
      opened.set(suite, [...(opened.get(suite) ?? []), () => closed(made)]);
    });
    end(async function () {
      const suite = this.test?.parent;
      for (const close of (suite && opened.get(suite)?.splice(0).reverse()) ?? []) await close();
    });
    return resource;
  };
}

function closed(made: object | Closable): unknown {
  if ('close' in made) return made.close();
  if ('remove' in made) return made.remove();
  return 'stop' in made ? made.stop() : undefined;
}
