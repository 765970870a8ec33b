import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { isCommandKey } from '../../../client/commands/command-key.ts';

const press = { key: 'k', code: 'KeyK', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false };

describe('isCommandKey', () => {
  const ctrl = { ...press, ctrlKey: true };
  const cmd = { ...press, metaKey: true };
  const withShift = { letter: 'k', shift: true };
  for (const [title, isMatch, pressed, command, isApple] of [
    ['Ctrl+K', true, ctrl],
    ['Cmd+K on an Apple keyboard', true, cmd, undefined, true],
    ['Ctrl+K on an Apple keyboard, where it edits text', false, ctrl, undefined, true],
    ['Cmd+K on another keyboard', false, cmd],
    ['K', false, press],
    ['Ctrl+Shift+K, which browsers use themselves', false, { ...ctrl, shiftKey: true }],
    ['Ctrl+Alt+K, which browsers use themselves', false, { ...ctrl, altKey: true }],
    ['Ctrl+Shift+K for a shortcut with Shift', true, { ...ctrl, key: 'K', shiftKey: true }, withShift],
    ['Ctrl+K for a shortcut with Shift', false, ctrl, withShift],
    ['the position of K on a keyboard without Latin letters', true, { ...ctrl, key: 'ن' }],
    ['the position of K on a keyboard with T there', false, { ...ctrl, key: 't' }],
    ['K at another position', true, { ...ctrl, code: 'KeyV' }],
  ] as const) {
    it(`${isMatch ? 'matches' : 'does not match'} ${title}`, () => {
      expect(isCommandKey(pressed, command ?? { letter: 'k' }, isApple ?? false)).to.equal(isMatch);
    });
  }
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
