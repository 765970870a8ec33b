import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import {
  type CommandName,
  createCommandRegistry,
  type RegisteredConversations,
} from '../../../client/commands/command-registry.ts';

describe('createCommandRegistry', () => {
  let ran: string[];

  beforeEach(() => {
    ran = [];
  });

  const command = (name: Exclude<CommandName, 'copyConversation'>, by: string) => ({
    commands: { [name]: () => void ran.push(`${name} ${by}`) },
  });

  it('runs the latest registration of a command, and the previous one once the latest is withdrawn', () => {
    const registry = createCommandRegistry();
    registry.register(command('search', 'page'));
    const withdraw = registry.register(command('search', 'dialog'));
    registry.register(command('print', 'page'));
    registry.run('search');
    withdraw();
    registry.run('search');
    registry.run('print');
    expect(ran).to.deep.equal(['search dialog', 'search page', 'print page']);
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
