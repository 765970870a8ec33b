import { expect } from 'chai';
import { describe, it } from 'mocha';
import { UsageError } from '../../../server/admin/command.ts';
import { parseCommand } from '../../../server/admin/command-line.ts';
import { commands } from '../../../server/admin/commands.ts';

describe('parseCommand', () => {
  it('returns the command, its operands and options', () => {
    expect(parseCommand(['set-engagement', 'someone', '--week', '3'])).to.deep.equal({
      command: commands['set-engagement'],
      operands: ['someone'],
      values: { __proto__: null, week: '3' },
    });
  });

  it('returns null for a request for help', () => {
    for (const line of ['help', '-h', '--help', 'list-users --help']) {
      expect(parseCommand(line.split(' ')), line).to.equal(null);
    }
  });

  const mistakes: [string, RegExp][] = [
    ['', /^No command given\.$/],
    ['toString', /^Unknown command: toString\.$/],
    ['onboard', /^onboard expects <userId>\.$/],
    ['move-user someone', /^move-user expects <userId> <organizationId>\.$/],
    ['list-users someone', /^list-users expects no arguments\.$/],
    ['list-users --week 3', /^list-users does not accept --week\.$/],
    ['list-users --colour', /--colour/],
    ['set-engagement someone --week', /--week/],
    ['delete-organization any', /^delete-organization requires --yes\.$/],
    ['delete-user someone', /^delete-user requires --yes\.$/],
    ['set-engagement someone', /^set-engagement requires --file or --week or --focus/],
  ];
  for (const [line, sentence] of mistakes) {
    it(`refuses "${line}"`, () => {
      expect(() => parseCommand(line.split(' ').filter(Boolean))).to.throw(UsageError, sentence);
    });
  }
});
