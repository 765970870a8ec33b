import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  type CommandName,
  commandNames,
  createCommandRegistry,
  type RegisteredConversations,
} from '../../../client/commands/command-registry.ts';
import { namesIn } from '../../support/source-names.ts';

describe('createCommandRegistry', () => {
  const ran: string[] = [];
  const command = (name: Exclude<CommandName, 'copyConversation'>, by: string) => ({
    commands: { [name]: () => void ran.push(`${name} ${by}`) },
  });

  it('runs the latest registration of a command, and the previous registration once the latest is withdrawn', () => {
    const registry = createCommandRegistry();
    registry.register(command('search', 'page'));
    const withdraw = registry.register(command('search', 'dialog'));
    registry.register(command('print', 'page'));
    registry.run('search');
    withdraw();
    registry.run('search');
    registry.run('print');
    expect(ran.splice(0)).to.deep.equal(['search dialog', 'search page', 'print page']);
  });

  it('runs nothing for a command that no component has registered', () => {
    const registry = createCommandRegistry();
    registry.register(command('search', 'page'))();
    registry.run('search');
    expect(ran).to.deep.equal([]);
    expect(registry.commands()).to.deep.equal({});
  });

  it('returns the conversations that were registered last', () => {
    const registry = createCommandRegistry();
    const conversationsOf = () => ({ open: () => {} }) as unknown as RegisteredConversations;
    const [earlier, later] = [conversationsOf(), conversationsOf()];
    expect(registry.conversations()).to.equal(undefined);
    registry.register({ conversations: earlier });
    const withdraw = registry.register({ conversations: later });
    registry.register(command('search', 'page'));
    expect(registry.conversations()).to.equal(later);
    withdraw();
    expect(registry.conversations()).to.equal(earlier);
  });
});

describe('Each command', () => {
  it('is registered by name in a component', () => {
    const names = namesIn('client/**/*.tsx', ['client/commands/']);
    expect(commandNames.filter((name) => !names.has(name))).to.deep.equal([]);
  });
});
