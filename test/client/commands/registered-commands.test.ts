import { expect } from 'chai';
import { describe, it } from 'mocha';
import { commandNames } from '../../../client/commands/command-registry.ts';
import { namesIn } from '../../support/source-names.ts';

describe('each command', () => {
  it('is registered by name in a component', () => {
    const names = namesIn('client/**/*.tsx', ['client/commands/']);
    expect(commandNames.filter((name) => !names.has(name))).to.deep.equal([]);
  });
});
