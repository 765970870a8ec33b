import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createCommandRegistry } from '../../../client/commands/command-registry.ts';

describe('the commands of a page', () => {
  it('are those that a part of it offers, for as long as it does', () => {
    const done: string[] = [];
    const registry = createCommandRegistry();
    const withdraw = registry.offer({ commands: { settings: () => done.push('settings') } });
    registry.run('settings');
    registry.run('stop');
    withdraw();
    registry.run('settings');
    expect(done).to.deep.equal(['settings']);
    expect(registry.commands()).to.deep.equal({});
  });

  it('are done by whoever offers them last', () => {
    const done: string[] = [];
    const registry = createCommandRegistry();
    registry.offer({ commands: { stop: () => done.push('first'), print: () => done.push('print') } });
    registry.offer({ commands: { stop: () => done.push('second') } });
    registry.run('stop');
    registry.run('print');
    expect(done).to.deep.equal(['second', 'print']);
  });
});
