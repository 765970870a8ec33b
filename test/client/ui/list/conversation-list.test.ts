import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement } from 'react';
import type { ConversationEntry } from '../../../../client/device/conversation-records.ts';
import { messages } from '../../../../client/language/messages/en.ts';
import type { DebouncedSearch } from '../../../../client/library/debounced-search.ts';
import type { Library } from '../../../../client/library/library.ts';
import type { SearchResult } from '../../../../client/library/search-conversations.ts';
import { createUndoOffer } from '../../../../client/library/undo.ts';
import { client, controlsIn, renderedPage, textOf } from '../rendered-page.ts';

const { conversations, commands, undo } = messages;

const entry = (id: string, changes: Partial<ConversationEntry> = {}) =>
  ({ id, title: `${id}?`, lastActiveAt: Date.now(), ...changes }) as ConversationEntry;

type Options = {
  entries?: readonly ConversationEntry[];
  isLoaded?: boolean;
  pinned?: readonly string[];
  openId?: string;
  runningIds?: readonly string[];
  query?: string;
  results?: readonly SearchResult[];
  undoOffer?: ReturnType<typeof createUndoOffer>;
};

const subscribe = () => () => {};
const action = () => {};

/** Only the first part of a list is rendered at once, so the entries of a test must fit into it. */
function htmlOf(options: Options): string {
  const { entries = [], isLoaded = true, pinned = [], openId = '', runningIds = [], query = '', results } = options;
  const library = {
    subscribe,
    getState: () => ({ entries, isLoaded, persistence: 'working' }),
    pinned: { subscribe, getState: () => ({ ids: pinned }), toggle: action },
    rename: action,
  } as unknown as Library;
  const search = { subscribe, getState: () => ({ query, results }) } as unknown as DebouncedSearch<SearchResult>;
  const undoOffer = options.undoOffer ?? createUndoOffer();
  const actions = { onNew: action, onOpen: action, onRemove: action };
  return renderedPage(
    createElement(client.ConversationList, { library, search, undoOffer, openId, runningIds, ...actions }),
  );
}

const links = (html: string) => controlsIn(html).filter(({ href }) => href?.startsWith('/c/'));
const attributesOf = (html: string, id: string) => new RegExp(`<a [^>]*data-id="${id}"[^>]*>`).exec(html)?.[0] ?? '';

describe('The conversation list', () => {
  const entries = [entry('one'), entry('two', { name: 'Plan' }), entry('three')];

  it('links to each conversation under its name or its first question', () => {
    const html = htmlOf({ entries });
    expect(links(html).map(({ name, href }) => [name, href])).to.deep.equal([
      ['one?', '/c/one'],
      ['Plan', '/c/two'],
      ['three?', '/c/three'],
    ]);
    expect(controlsIn(html).map(({ name }) => name)).to.include('More actions for “Plan”');
    expect(textOf(html)).to.include(conversations.today);
  });

  it('shows the pinned conversations first', () => {
    const html = htmlOf({ entries, pinned: ['three'] });
    expect(textOf(html)).to.include(conversations.pinned).and.not.include(conversations.today);
    expect(links(html)[0]?.name).to.equal('three?');
  });

  it('marks the open conversation and running replies, and has one tab stop', () => {
    const html = htmlOf({ entries, openId: 'two', runningIds: ['three'] });
    const ids = entries.map(({ id }) => id);
    expect(ids.filter((id) => attributesOf(html, id).includes('aria-current="page"'))).to.deep.equal(['two']);
    expect(ids.filter((id) => attributesOf(html, id).includes('tabindex="0"'))).to.deep.equal(['two']);
    expect(links(html).map(({ name }) => name)).to.deep.equal(['one?', 'Plan', `three? ${conversations.running}`]);
    const without = htmlOf({ entries, openId: 'elsewhere' });
    expect(ids.filter((id) => attributesOf(without, id).includes('tabindex="0"'))).to.deep.equal(['one']);
  });

  it('says where conversations will appear while there are none, and offers no search', () => {
    const html = htmlOf({});
    expect(textOf(html)).to.include(conversations.empty).and.not.include(commands.search);
    expect(textOf(htmlOf({ entries })))
      .to.include(commands.search)
      .and.not.include(conversations.empty);
  });

  it('is busy and shows no hint until the conversations have been loaded', () => {
    const html = htmlOf({ isLoaded: false });
    expect(html).to.include('aria-busy="true"');
    expect(textOf(html)).to.equal(commands.newConversation);
    expect(htmlOf({ entries })).to.include('aria-busy="false"');
  });

  it('shows the number of search results, and the passages that match in place of the days', () => {
    const passage = { turnId: 'a', versionId: 'a', before: 'of the ', match: 'castings', after: ' in week 3' };
    const results = [{ entry: entry('two'), passage }] as unknown as SearchResult[];
    const html = htmlOf({ entries, query: 'castings', results });
    expect(textOf(html)).to.include('1 conversation found.').and.not.include(conversations.today);
    expect(links(html).map(({ name }) => name)).to.deep.equal(['two? of the castings in week 3']);
    expect(html).to.include('<mark>castings</mark>');
    expect(controlsIn(html).map(({ name }) => name)).to.include(conversations.clearSearch);
    expect(textOf(htmlOf({ entries, query: 'x', results: [] }))).to.include('No conversations found.');
    expect(controlsIn(htmlOf({ entries })).map(({ name }) => name)).to.not.include(conversations.clearSearch);
  });

  it('offers to undo deletions', () => {
    const undoOffer = createUndoOffer();
    const offered = () => controlsIn(htmlOf({ entries, undoOffer })).filter(({ name }) => name === undo.undo).length;
    expect(offered()).to.equal(0);
    undoOffer.offer({ id: 'four', title: 'Four?', undo: action });
    expect(offered()).to.equal(1);
    expect(textOf(htmlOf({ entries, undoOffer }))).to.include('Four?');
    undoOffer.offer({ id: 'five', title: 'Five?', undo: action });
    expect(textOf(htmlOf({ entries, undoOffer })))
      .to.include('2')
      .and.not.include('Five?');
  });
});
