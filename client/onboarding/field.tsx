import { type ComponentProps, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { directionOf } from '../controls/direction-of.ts';
import { Icon } from '../controls/icon.tsx';

type FieldProps = {
  /** Unique on the page: the form's error summary links to it. */
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hint?: string;
  optional?: boolean;
  multiline?: boolean;
  autoComplete?: string;
  /** Suggestions; the field accepts any other text too. */
  choices?: readonly string[];
  /** Replaces the submission of the form on Enter. */
  onEnter?: () => void;
};

export function Field({ id, label, value, onChange, error, hint, optional, multiline, ...rest }: FieldProps) {
  const t = useTranslations('onboarding');
  const { autoComplete, choices, onEnter } = rest;
  const shared = {
    id,
    value,
    dir: directionOf(value),
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-about`,
    autoComplete,
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || onEnter === undefined) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {optional && <span className="optional">{t('optional')}</span>}
      </div>
      {multiline && <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />}
      {choices && <Combobox {...shared} choices={choices} onChange={onChange} />}
      {!multiline && !choices && (
        <input {...shared} type="text" onChange={(event) => onChange(event.target.value)} onKeyDown={onKeyDown} />
      )}
      <div id={`${id}-about`}>
        {error && <p className="field-error">{error}</p>}
        {hint && <p className="hint">{hint}</p>}
      </div>
    </div>
  );
}

type ComboboxProps = Omit<ComponentProps<'input'>, 'id' | 'value' | 'onChange'> & {
  id: string;
  value: string;
  onChange: (value: string) => void;
  choices: readonly string[];
};

/** A text field with suggestions: the ARIA Authoring Practices Guide's “editable combobox with list autocomplete”. */
function Combobox({ id, value, onChange, choices, ...rest }: ComboboxProps) {
  const t = useTranslations('onboarding');
  const [isOpen, setIsOpen] = useState(false);
  const [isFiltered, setIsFiltered] = useState(false);
  const [activeIndex, setActiveIndex] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const searchText = value.trim().toLocaleLowerCase();
  const options = isFiltered ? choices.filter((choice) => choice.toLocaleLowerCase().includes(searchText)) : choices;
  const isListVisible = isOpen && options.length > 0;
  const current = isListVisible ? options[activeIndex] : undefined;

  useEffect(() => {
    if (current !== undefined)
      list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const open = (index: number) => {
    setIsOpen(true);
    setIsFiltered(false);
    setActiveIndex(index);
  };
  const choose = (choice: string) => {
    onChange(choice);
    setIsOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    const { length } = options;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      const step = key === 'ArrowDown' ? 1 : -1;
      if (!isListVisible) open(step === 1 ? 0 : choices.length - 1);
      else setActiveIndex((Math.max(activeIndex, step === 1 ? -1 : 0) + step + length) % length);
    } else if (key === 'Enter' && current !== undefined) choose(current);
    else if (key === 'Escape' && isListVisible) setIsOpen(false);
    else return;
    event.preventDefault();
  };
  return (
    <div className="combobox">
      <input
        {...rest}
        ref={field}
        id={id}
        type="text"
        role="combobox"
        aria-expanded={isListVisible}
        aria-controls={`${id}-choices`}
        aria-autocomplete="list"
        aria-activedescendant={current === undefined ? undefined : `${id}-choice-${activeIndex}`}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          setIsOpen(true);
          setIsFiltered(true);
          setActiveIndex(-1);
        }}
        onKeyDown={onKeyDown}
        onClick={() => open(-1)}
        onBlur={() => setIsOpen(false)}
      />
      <button
        type="button"
        tabIndex={-1}
        aria-label={t('proposals')}
        aria-controls={`${id}-choices`}
        aria-expanded={isListVisible}
        // Keeps the focus in the field, whose blur closes the list.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => {
          field.current?.focus();
          if (isListVisible) setIsOpen(false);
          else open(-1);
        }}
      >
        <Icon name="down" />
      </button>
      <div
        ref={list}
        id={`${id}-choices`}
        className="combobox-list"
        role="listbox"
        aria-label={t('proposals')}
        hidden={!isListVisible}
        onPointerDown={(event) => event.preventDefault()}
      >
        {options.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
          <div
            key={choice}
            id={`${id}-choice-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === activeIndex}
            onClick={() => choose(choice)}
          >
            {choice}
          </div>
        ))}
      </div>
    </div>
  );
}
