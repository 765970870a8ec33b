import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { directionOf } from '../controls/direction-of.ts';
import { Modal, type PageDialogProps } from '../controls/modal.tsx';
import { keyNames } from './command-key.ts';
import { type CommandName, type Commands, commandNames, type OfferedConversations } from './command-registry.ts';
import { useCommandRegistry } from './in-commands.tsx';
import { conversationTitle, paletteChoices } from './palette-choices.ts';

/** Everything that can be done or gone to, to be found by typing. What is chosen happens once the dialog has closed. */
export function PaletteDialog({ onClose }: PageDialogProps) {
  const t = useTranslations('commands');
  const registry = useCommandRegistry();

  return (
    <Modal label={t('title')} className="modal palette" onClose={onClose}>
      {(_, goOn) => <Palette commands={registry.commands()} conversations={registry.conversations()} onChoose={goOn} />}
    </Modal>
  );
}

type PaletteProps = {
  commands: Commands;
  conversations: OfferedConversations | undefined;
  onChoose: (action: () => void) => void;
};

/** A field, and below it what fits the words in it. The focus stays in the field; the arrows mark what Enter chooses. */
function Palette({ commands, conversations, onChoose }: PaletteProps) {
  const t = useTranslations('commands');
  const keyOf = useKeyOf();
  const id = useId();
  const [words, setWords] = useState('');
  const [marked, setMarked] = useState(0);

  const groups = useMemo(() => {
    // To open what is open already is no choice.
    const named = commandNames.filter((name) => name !== 'palette' && commands[name] !== undefined);
    const choices = paletteChoices(
      words,
      named.map((name) => ({ name, title: t(name) })),
      conversations?.list.getState().entries ?? [],
    );
    return {
      commands: choices.commands.map(({ name, title }): Option => {
        return { id: `${id}${name}`, title, key: keyOf(name), run: () => commands[name]?.() };
      }),
      conversations: choices.conversations.map(
        (entry): Option => ({
          id: `${id}${entry.id}`,
          title: conversationTitle(entry),
          run: () => conversations?.open(entry.id),
        }),
      ),
    };
  }, [words, commands, conversations, t, keyOf, id]);
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
        aria-label={t('field')}
        placeholder={t('field')}
        autoComplete="off"
        dir={directionOf(words)}
        value={words}
        onChange={(event) => {
          setWords(event.target.value);
          setMarked(0);
        }}
        onKeyDown={move}
      />
      <div id={`${id}options`} className="palette-options" role="listbox" aria-label={t('title')}>
        <PaletteOptions label={t('commands')} options={groups.commands} current={current} onChoose={onChoose} />
        <PaletteOptions
          label={t('conversations')}
          options={groups.conversations}
          current={current}
          onChoose={onChoose}
        />
      </div>
      {options.length === 0 && <p className="aside">{t('foundNothing')}</p>}
      <p className="visually-hidden" role="status">
        {words !== '' && t('found', { count: options.length })}
      </p>
    </>
  );
}

/** One line of the palette; `key` is what does the same without it. */
type Option = { id: string; title: string; key?: string | undefined; run: () => void };

type PaletteOptionsProps = {
  label: string;
  options: readonly Option[];
  /** The one that Enter chooses. */
  current: Option | undefined;
  onChoose: (action: () => void) => void;
};

/** One kind of what the palette lists. */
function PaletteOptions({ label, options, current, onChoose }: PaletteOptionsProps) {
  if (options.length === 0) return null;
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map(({ id, title, key, run }) => (
        <button
          key={id}
          type="button"
          id={id}
          role="option"
          tabIndex={-1}
          className="palette-option"
          aria-selected={id === current?.id}
          onClick={() => onChoose(run)}
        >
          <span dir="auto">{title}</span>
          {key && <kbd>{key}</kbd>}
        </button>
      ))}
    </fieldset>
  );
}

/** What does the same as a command without the palette, as the keyboard of this device has it. */
function useKeyOf(): (name: CommandName) => string | undefined {
  const t = useTranslations('shortcuts');
  return useMemo(() => {
    const keys: Partial<Record<CommandName, string>> = {
      stop: t('escape'),
      newConversation: t('commandShiftO', keyNames),
      find: t('commandF', keyNames),
      editLast: t('arrowUp'),
      undo: t('commandZ', keyNames),
      shortcuts: '?',
    };
    return (name: CommandName) => keys[name];
  }, [t]);
}
