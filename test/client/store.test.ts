import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { createStore } from '../../client/store.ts';

describe('createStore', () => {
  const { queueMicrotask } = globalThis;

  afterEach(() => {
    globalThis.queueMicrotask = queueMicrotask;
  });

  it('reports the error of a listener as uncaught, and calls the other listeners', () => {
    const reported: unknown[] = [];
    globalThis.queueMicrotask = (task) => {
      try {
        task();
      } catch (error) {
        reported.push(error);
      }
    };
    const store = createStore({ count: 0 });
    const bug = new Error('A bug of a listener.');
    let received = 0;
    store.subscribe(() => {
      throw bug;
    });
    store.subscribe(() => {
      received = store.getState().count;
    });
    store.update({ count: 1 });
    expect({ received, reported }).to.deep.equal({ received: 1, reported: [bug] });
  });
});
