import { useEffect, useRef } from 'react';
import type { FieldErrors } from '../../shared/onboarding.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import { addEntry, type Entry } from './form.ts';

type StatementListProps = {
  legend: string;
  /** What one entry is called: its label is this and its number. */
  noun: string;
  hint: string;
  entries: readonly Entry[];
  onChange: (entries: Entry[]) => void;
  errors: FieldErrors;
  /** Where the list stands in the request, as the keys of `errors` name it. */
  path: string;
};

/** A list of one-line statements that can be added to, by Enter as well, and removed from. */
export function StatementList({ legend, noun, hint, entries, onChange, errors, path }: StatementListProps) {
  const name = noun.charAt(0).toUpperCase() + noun.slice(1);
  const list = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const shownCount = useRef(entries.length);

  useEffect(() => {
    if (entries.length > shownCount.current) {
      list.current?.querySelector<HTMLElement>('.statement:last-of-type input')?.focus();
    }
    shownCount.current = entries.length;
  }, [entries.length]);

  const add = () => onChange(addEntry(entries));
  const remove = (removed: number) => {
    addButton.current?.focus();
    onChange(entries.filter(({ id }) => id !== removed));
  };

  return (
    <fieldset ref={list} id={path} className="statements">
      <legend>
        {legend} <span className="optional">optional</span>
      </legend>
      <p className="hint">{hint}</p>
      {entries.map(({ id, text }, index) => (
        <div className="statement" key={id}>
          <Field
            id={`${path}.${id}`}
            label={`${name} ${index + 1}`}
            value={text}
            onChange={(changed) => onChange(entries.map((entry) => (entry.id === id ? { id, text: changed } : entry)))}
            onEnter={() => text.trim() !== '' && add()}
            error={errors[`${path}.${id}`]}
          />
          {(entries.length > 1 || text !== '') && (
            <Button kind="quiet" aria-label={`Remove ${noun} ${index + 1}`} onClick={() => remove(id)}>
              <Icon name="cross" />
            </Button>
          )}
        </div>
      ))}
      {errors[path] && <p className="field-error">{errors[path]}</p>}
      <Button ref={addButton} onClick={add}>
        Add {/^[aeiou]/.test(noun) ? 'an' : 'a'} {noun}
      </Button>
    </fieldset>
  );
}
