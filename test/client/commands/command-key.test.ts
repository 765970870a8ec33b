import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { isCommandKey } from '../../../client/commands/command-key.ts';

const press = { key: 'k', code: 'KeyK', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

describe('isCommandKey', () => {
  it('matches Ctrl+K, or Cmd+K on Apple keyboards', () => {
    expect(isCommandKey({ ...press, ctrlKey: true }, { letter: 'k' }, false)).to.equal(true);
    expect(isCommandKey({ ...press, metaKey: true }, { letter: 'k' }, true)).to.equal(true);
    expect(isCommandKey({ ...press, ctrlKey: true }, { letter: 'k' }, true)).to.equal(false);
    expect(isCommandKey({ ...press, metaKey: true }, { letter: 'k' }, false)).to.equal(false);
    expect(isCommandKey(press, { letter: 'k' }, false)).to.equal(false);
  });

  it('does not match if Shift or Alt is pressed too, because browsers use those shortcuts themselves', () => {
    expect(isCommandKey({ ...press, ctrlKey: true, shiftKey: true }, { letter: 'k' }, false)).to.equal(false);
    expect(isCommandKey({ ...press, ctrlKey: true, altKey: true }, { letter: 'k' }, false)).to.equal(false);
  });

  it('requires Shift only for a shortcut that includes it', () => {
    const key = { letter: 'k', shift: true };
    expect(isCommandKey({ ...press, key: 'K', ctrlKey: true, shiftKey: true }, key, false)).to.equal(true);
    expect(isCommandKey({ ...press, ctrlKey: true }, key, false)).to.equal(false);
  });

  it('matches the letter, or the position of the key on a keyboard without Latin letters', () => {
    expect(isCommandKey({ ...press, key: 'ن', ctrlKey: true }, { letter: 'k' }, false)).to.equal(true);
    expect(isCommandKey({ ...press, key: 't', ctrlKey: true }, { letter: 'k' }, false)).to.equal(false);
    expect(isCommandKey({ ...press, key: 'k', code: 'KeyV', ctrlKey: true }, { letter: 'k' }, false)).to.equal(true);
  });
});

describe('keyNames', () => {
  const { navigator } = globalThis;
  afterEach(() => void Object.defineProperty(globalThis, 'navigator', { configurable: true, value: navigator }));

  for (const [platform, command] of [
    ['MacIntel', '⌘'],
    ['iPhone', '⌘'],
    ['iPad', '⌘'],
    ['Win32', 'Ctrl'],
    ['Linux x86_64', 'Ctrl'],
  ] as const) {
    it(`contain “${command}” as the command key on “${platform}”`, async () => {
      Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { platform } });
      const { keyNames } = await import(`../../../client/commands/command-key.ts?${platform.replace(' ', '-')}`);
      expect(keyNames.command).to.equal(command);
    });
  }
});
