import { expect } from 'chai';
import { describe, it } from 'mocha';
import { paletteChoices } from '../../../client/commands/palette-choices.ts';

const commands = [
  { name: 'newConversation', title: 'New conversation' },
  { name: 'settings', title: 'Settings', keywords: ['Interface language', 'Import a file'] },
  { name: 'editLast', title: 'Edit the last question' },
] as const;

const entry = (title: string, name?: string) => ({ id: title, title, lastActiveAt: 0, ...(name && { name }) });

const found = (words: string, titles: readonly string[]) =>
  paletteChoices(
    words,
    commands,
    titles.map((title) => entry(title)),
  ).conversations.map(({ title }) => title);

describe('paletteChoices', () => {
  it('returns all commands and the latest conversations for a blank query', () => {
    const many = Array.from({ length: 20 }, (_, index) => entry(`Conversation ${index}`));
    const choices = paletteChoices('  ', commands, many);
    expect(choices.commands).to.deep.equal(commands);
    expect(choices.conversations).to.deep.equal(many.slice(0, 8));
  });

  it('returns the items that contain every word, in any order', () => {
    const choices = paletteChoices('question ed', commands, []);
    expect(choices.commands.map(({ name }) => name)).to.deep.equal(['editLast']);
    expect(found('week supplier', ['Suppliers in week 3', 'Suppliers', 'Week 3'])).to.deep.equal([
      'Suppliers in week 3',
    ]);
  });

  it('finds a command by its keywords, and lists it after commands whose title starts with the word', () => {
    const importing = { name: 'newConversation', title: 'Import' } as const;
    const choices = (query: string) => paletteChoices(query, [...commands, importing], []).commands;
    expect(choices('import').map(({ title }) => title)).to.deep.equal(['Import', 'Settings']);
    expect(choices('lang settings').map(({ title }) => title)).to.deep.equal(['Settings']);
  });

  it('ignores case and accents', () => {
    expect(found('ECLAIR', ['Éclair'])).to.deep.equal(['Éclair']);
    expect(found('größe', ['GROSE', 'GROSSE', 'Grosse Größen'])).to.deep.equal(['GROSSE', 'Grosse Größen']);
  });

  it('lists items that start with the first word before the others', () => {
    expect(found('lead', ['The lead time', 'Lead times', 'A leader'])).to.deep.equal([
      'Lead times',
      'The lead time',
      'A leader',
    ]);
  });

  it('matches the name of a renamed conversation instead of its first question', () => {
    const named = entry('Where do we stand?', 'Status');
    expect(paletteChoices('status', commands, [named]).conversations).to.deep.equal([named]);
    expect(paletteChoices('stand', commands, [named]).conversations).to.deep.equal([]);
  });

  it('returns at most fifty conversations', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `Conversation ${index}`);
    expect(found('conversation', many)).to.have.length(50);
  });
});
