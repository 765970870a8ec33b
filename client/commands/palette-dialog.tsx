import '../language/messages/en.ts';
import '../styles/palette.css';
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { directionOf } from '../controls/direction-of.ts';
import { Modal, type PageDialogProps } from '../controls/modal.tsx';
import { keyNames } from './command-key.ts';
import { type CommandName, type Commands, commandNames, type RegisteredConversations } from './command-registry.ts';
import { useCommandRegistry } from './commands-provider.tsx';
import { conversationTitle, paletteChoices } from './palette-choices.ts';

/** Runs the chosen command, or opens the chosen conversation, after the dialog has closed. */
export function PaletteDialog({ onClose }: PageDialogProps) {
  const t = useTranslations('commands');
  const registry = useCommandRegistry();

  return (
    <Modal label={t('title')} className="modal palette" onClose={onClose}>
      {(close, closeThen) => (
        <Palette
          commands={registry.commands()}
          conversations={registry.conversations()}
          onChoose={closeThen}
          onClose={close}
        />
      )}
    </Modal>
  );
}

type PaletteProps = {
  commands: Commands;
  conversations: RegisteredConversations | undefined;
  onChoose: (action: () => void) => void;
  onClose: () => void;
};

/** A combobox: the focus stays in the field, and the arrow keys select the option that Enter runs. */
function Palette({ commands, conversations, onChoose, onClose }: PaletteProps) {
  const t = useTranslations('commands');
  const shortcutOf = useShortcutOf();
  const settingNames = useSettingNames(conversations !== undefined);
  const id = useId();
  const [words, setWords] = useState('');
  const [selectedIndex, setSelectedIndex] = useState(0);

  const groups = useMemo(() => {
    const named = commandNames.filter((name) => name !== 'palette' && commands[name] !== undefined);
    const choices = paletteChoices(
      words,
      named.map((name) => ({ name, title: t(name), ...(name === 'settings' && { keywords: settingNames }) })),
      conversations?.library.getState().entries ?? [],
    );
    return {
      commands: choices.commands.map(({ name, title }): Option => {
        const isDestructive = name === 'deleteConversation';
        return { id: `${id}${name}`, title, key: shortcutOf(name), isDestructive, run: () => commands[name]?.() };
      }),
      conversations: choices.conversations.map(
        (entry): Option => ({
          id: `${id}${entry.id}`,
          title: conversationTitle(entry),
          run: () => conversations?.open(entry.id),
        }),
      ),
    };
  }, [words, commands, conversations, t, shortcutOf, settingNames, id]);
  const options = [...groups.commands, ...groups.conversations];
  const count = Math.max(1, options.length);
  const selected = options[Math.min(selectedIndex, count - 1)];

  useEffect(() => {
    if (selected !== undefined) document.getElementById(selected.id)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && selected !== undefined) onChoose(selected.run);
    else if (event.key === '?' && words === '' && commands.shortcuts !== undefined) onChoose(commands.shortcuts);
    else if (event.key === 'ArrowDown') setSelectedIndex((selectedIndex + 1) % count);
    else if (event.key === 'ArrowUp') setSelectedIndex((selectedIndex - 1 + count) % count);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="palette-head">
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}options`}
          aria-activedescendant={selected?.id}
          aria-label={t('field')}
          placeholder={t('placeholder')}
          autoComplete="off"
          dir={directionOf(words)}
          value={words}
          onChange={(event) => {
            setWords(event.target.value);
            setSelectedIndex(0);
          }}
          onKeyDown={onKeyDown}
        />
        <Button kind="quiet" onClick={onClose}>
          {t('close')}
        </Button>
      </div>
      <div id={`${id}options`} className="palette-options" role="listbox" aria-label={t('title')}>
        <PaletteOptions label={t('commands')} options={groups.commands} selected={selected} onChoose={onChoose} />
        <PaletteOptions
          label={t('conversations')}
          options={groups.conversations}
          selected={selected}
          onChoose={onChoose}
        />
      </div>
      {options.length === 0 && <p className="aside">{t('noResults')}</p>}
      <p className="visually-hidden" role="status">
        {words !== '' && t('found', { count: options.length })}
      </p>
    </>
  );
}

type Option = {
  id: string;
  title: string;
  key?: string | undefined;
  isDestructive?: boolean;
  run: () => void;
};

type PaletteOptionsProps = {
  label: string;
  options: readonly Option[];
  selected: Option | undefined;
  onChoose: (action: () => void) => void;
};

function PaletteOptions({ label, options, selected, onChoose }: PaletteOptionsProps) {
  if (options.length === 0) return null;
  return (
    <fieldset>
      <legend>{label}</legend>
      {options.map(({ id, title, key, isDestructive, run }) => (
        <button
          key={id}
          type="button"
          id={id}
          role="option"
          tabIndex={-1}
          className={isDestructive ? 'palette-option palette-option-danger' : 'palette-option'}
          aria-selected={id === selected?.id}
          onClick={() => onChoose(run)}
        >
          <span dir="auto">{title}</span>
          {key && <kbd>{key}</kbd>}
        </button>
      ))}
    </fieldset>
  );
}

/** Returns the keywords by which the palette finds the settings dialog. */
function useSettingNames(hasConversations: boolean): readonly string[] {
  const t = useTranslations('settings');
  const tData = useTranslations('deviceData');
  return useMemo(() => {
    const names = [t('theme'), t('language'), t('enter'), t('notifications')];
    if (!hasConversations) return names;
    return [...names, t('device'), tData('downloadAll'), tData('importFile'), tData('removeAll')];
  }, [t, tData, hasConversations]);
}

function useShortcutOf(): (name: CommandName) => string | undefined {
  const t = useTranslations('shortcuts');
  return useMemo(() => {
    const keys: Partial<Record<CommandName, string>> = {
      stop: t('escape'),
      newConversation: t('commandShiftO', keyNames),
      editLast: t('arrowUp'),
      undo: t('commandZ', keyNames),
      shortcuts: '?',
    };
    return (name: CommandName) => keys[name];
  }, [t]);
}
