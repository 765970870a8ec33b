import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createStore } from '../../../client/chat/store.ts';
import { createDeskAddress } from '../../../client/conversations/desk-address.ts';

/** A tab whose history begins with `first`, and a desk that shows the conversation `shown`. */
function setUp(first: string | null | undefined, shown: string, kept = ['one', 'two']) {
  const { getState, subscribe, update } = createStore({ id: shown });
  const desk = { getState, subscribe, open: (id: string) => update({ id }) };
  const visited = [first];
  const address = {
    read: () => visited.at(-1),
    push: (id: string) => void visited.push(id),
    replace: (id: string) => void visited.splice(-1, 1, id),
    leave: () => void visited.splice(-1, 1, null),
  };
  const deskAddress = createDeskAddress(desk, address, (id) => kept.includes(id));
  const stop = deskAddress.start();
  return {
    desk,
    visited,
    shows: () => getState().id,
    stop,
    leave: deskAddress.leave,
    back() {
      visited.pop();
      deskAddress.look();
    },
  };
}

describe('The address of a conversation', () => {
  it('takes the place of the address of the chat', () => {
    expect(setUp(null, 'one').visited).to.deep.equal(['one']);
  });

  it('opens what it names', () => {
    const { shows, visited } = setUp('two', 'one');
    expect([shows(), visited]).to.deep.equal(['two', ['two']]);
  });

  it('follows what is opened, and going back opens the one before', () => {
    const { desk, shows, visited, back } = setUp('one', 'one');
    desk.open('two');
    expect(visited).to.deep.equal(['one', 'two']);
    back();
    expect([shows(), visited]).to.deep.equal(['one', ['one']]);
  });

  it('of a conversation in which there is nothing gives way to the next', () => {
    const { desk, visited } = setUp('one', 'one');
    desk.open('new');
    desk.open('two');
    expect(visited).to.deep.equal(['one', 'two']);
  });

  it('leaves the address of another page alone', () => {
    const { desk, shows, visited } = setUp(undefined, 'one');
    desk.open('two');
    expect([shows(), visited]).to.deep.equal(['two', [undefined]]);
  });

  it('names none any more once the person has signed out, whatever the desk shows then', () => {
    const { desk, visited, leave } = setUp('one', 'one');
    leave();
    desk.open('two');
    expect(visited).to.deep.equal([null]);
  });

  it('no longer follows once it is left', () => {
    const { desk, visited, stop } = setUp('one', 'one');
    stop();
    desk.open('two');
    expect(visited).to.deep.equal(['one']);
  });
});
