import { expect } from 'chai';
import { describe, it } from 'mocha';
import { paletteChoices } from '../../../client/commands/palette-choices.ts';

const commands = [
  { name: 'newConversation', title: 'New conversation' },
  { name: 'settings', title: 'Settings' },
  { name: 'editLast', title: 'Edit the last question' },
] as const;

const entry = (title: string, name?: string) => ({ id: title, title, lastActiveAt: 0, ...(name && { name }) });

const found = (words: string, titles: readonly string[]) =>
  paletteChoices(
    words,
    commands,
    titles.map((title) => entry(title)),
  ).conversations.map(({ title }) => title);

describe('the choices of the palette', () => {
  it('are all commands and the latest conversations while nothing is typed', () => {
    const many = Array.from({ length: 20 }, (_, index) => entry(`Conversation ${index}`));
    const choices = paletteChoices('  ', commands, many);
    expect(choices.commands).to.deep.equal(commands);
    expect(choices.conversations).to.deep.equal(many.slice(0, 8));
  });

  it('have all the words that are typed, in any order', () => {
    const choices = paletteChoices('question ed', commands, []);
    expect(choices.commands.map(({ name }) => name)).to.deep.equal(['editLast']);
    expect(found('week supplier', ['Suppliers in week 3', 'Suppliers', 'Week 3'])).to.deep.equal([
      'Suppliers in week 3',
    ]);
  });

  it('are found whatever the case and the marks of the letters', () => {
    expect(found('ECLAIR', ['Éclair'])).to.deep.equal(['Éclair']);
    expect(found('größe', ['GROSE', 'GROSSE', 'Grosse Größen'])).to.deep.equal(['GROSSE', 'Grosse Größen']);
  });

  it('begin with those that begin with the first word', () => {
    expect(found('lead', ['The lead time', 'Lead times', 'A leader'])).to.deep.equal([
      'Lead times',
      'The lead time',
      'A leader',
    ]);
  });

  it('go by the name of a conversation that has one', () => {
    const named = entry('Where do we stand?', 'Status');
    expect(paletteChoices('status', commands, [named]).conversations).to.deep.equal([named]);
    expect(paletteChoices('stand', commands, [named]).conversations).to.deep.equal([]);
  });

  it('are fifty conversations at the most', () => {
    const many = Array.from({ length: 5000 }, (_, index) => `Conversation ${index}`);
    expect(found('conversation', many)).to.have.length(50);
  });
});
