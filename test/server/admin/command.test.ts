import { expect } from 'chai';
import { describe, it } from 'mocha';
import { UsageError } from '../../../server/admin/command.ts';
import { readCommand } from '../../../server/admin/command-line.ts';
import { commands } from '../../../server/admin/commands.ts';

describe('readCommand', () => {
  it('finds the command, what follows it and its options', () => {
    expect(readCommand(['set-engagement', 'someone', '--week', '3'])).to.deep.equal({
      command: commands['set-engagement'],
      operands: ['someone'],
      values: { __proto__: null, week: '3' },
    });
  });

  const mistakes: [string, RegExp][] = [
    ['', /^A command is missing\.$/],
    ['toString', /^There is no command toString\.$/],
    ['onboard', /^onboard takes <userId> after it\.$/],
    ['move-user someone', /^move-user takes <userId> <organizationId> after it\.$/],
    ['list-users someone', /^list-users takes nothing after it\.$/],
    ['list-users --week 3', /^list-users takes no --week\.$/],
    ['list-users --colour', /--colour/],
    ['set-engagement someone --week', /--week/],
    ['delete-organization any', /^delete-organization needs --yes\.$/],
    ['delete-user someone', /^delete-user needs --yes\.$/],
    ['set-engagement someone', /^set-engagement needs --file, or --week, or --focus/],
  ];
  for (const [line, sentence] of mistakes) {
    it(`refuses "${line}"`, () => {
      expect(() => readCommand(line.split(' ').filter(Boolean))).to.throw(UsageError, sentence);
    });
  }
});
