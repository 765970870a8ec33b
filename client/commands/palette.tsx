import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { OfferedConversations } from './command-registry.ts';
import { type Commands, commandKeys, commandNames } from './commands.ts';
import { conversationTitle, paletteChoices } from './palette-choices.ts';
import { type Option, PaletteOptions } from './palette-options.tsx';

type PaletteProps = {
  commands: Commands;
  conversations: OfferedConversations | undefined;
  onChoose: (action: () => void) => void;
};

/** A field, and below it what fits the words in it. The focus stays in the field; the arrows mark what Enter chooses. */
export function Palette({ commands, conversations, onChoose }: PaletteProps) {
  const say = useTranslations('commands');
  const sayKey = useTranslations('shortcuts');
  const id = useId();
  const [words, setWords] = useState('');
  const [marked, setMarked] = useState(0);

  const groups = useMemo(() => {
    // To open what is open already is no choice.
    const named = commandNames.filter((name) => name !== 'palette' && commands[name] !== undefined);
    const choices = paletteChoices(
      words,
      named.map((name) => ({ name, title: say(name) })),
      conversations?.list.getState().entries ?? [],
    );
    return {
      commands: choices.commands.map(({ name, title }): Option => {
        const key = commandKeys[name];
        return { id: `${id}${name}`, title, key: key && sayKey(key), run: () => commands[name]?.() };
      }),
      conversations: choices.conversations.map(
        (entry): Option => ({
          id: `${id}${entry.id}`,
          title: conversationTitle(entry),
          run: () => conversations?.open(entry.id),
        }),
      ),
    };
  }, [words, commands, conversations, say, sayKey, id]);
  const options = [...groups.commands, ...groups.conversations];
  const count = Math.max(1, options.length);
  const current = options[Math.min(marked, count - 1)];

  useEffect(() => {
    if (current !== undefined) document.getElementById(current.id)?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const move = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && current !== undefined) onChoose(current.run);
    else if (event.key === '?' && words === '' && commands.shortcuts !== undefined) onChoose(commands.shortcuts);
    else if (event.key === 'ArrowDown') setMarked((marked + 1) % count);
    else if (event.key === 'ArrowUp') setMarked((marked - 1 + count) % count);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={`${id}options`}
        aria-activedescendant={current?.id}
        aria-label={say('field')}
        placeholder={say('field')}
        autoComplete="off"
        dir="auto"
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setMarked(0);
        }}
        onKeyDown={move}
      />
      <div id={`${id}options`} className="palette-options" role="listbox" aria-label={say('title')}>
        <PaletteOptions label={say('commands')} options={groups.commands} current={current} onChoose={onChoose} />
        <PaletteOptions
          label={say('conversations')}
          options={groups.conversations}
          current={current}
          onChoose={onChoose}
        />
      </div>
      {options.length === 0 && <p className="aside">{say('foundNothing')}</p>}
      <p className="visually-hidden" role="status">
        {words !== '' && say('found', { count: options.length })}
      </p>
    </>
  );
}
