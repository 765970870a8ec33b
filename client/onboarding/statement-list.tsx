import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import type { FieldErrors } from '../../shared/onboarding.ts';
import { Button } from '../controls/button.tsx';
import { Field } from '../controls/field.tsx';
import { Icon } from '../controls/icon.tsx';
import { addEntry, type Entry } from './form.ts';

type StatementListProps = {
  /** Which list it is, and so what it is called. */
  list: 'hypotheses' | 'unknowns';
  entries: readonly Entry[];
  onChange: (entries: Entry[]) => void;
  errors: FieldErrors;
};

/** A list of one-line statements that can be added to, by Enter as well, and removed from. */
export function StatementList({ list, entries, onChange, errors }: StatementListProps) {
  const say = useTranslations(list);
  const sayOptional = useTranslations('onboarding');
  // Where the list stands in the request, as the keys of `errors` name it.
  const path = `engagement.${list}`;
  const fieldset = useRef<HTMLFieldSetElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const shownCount = useRef(entries.length);

  useEffect(() => {
    if (entries.length > shownCount.current) {
      fieldset.current?.querySelector<HTMLElement>('.statement:last-of-type input')?.focus();
    }
    shownCount.current = entries.length;
  }, [entries.length]);

  const add = () => onChange(addEntry(entries));
  const remove = (removed: number) => {
    addButton.current?.focus();
    onChange(entries.filter(({ id }) => id !== removed));
  };

  return (
    <fieldset ref={fieldset} id={path} className="statements">
      <legend>
        {say('legend')} <span className="optional">{sayOptional('optional')}</span>
      </legend>
      <p className="hint">{say('hint')}</p>
      {entries.map(({ id, text }, index) => (
        <div className="statement" key={id}>
          <Field
            id={`${path}.${id}`}
            label={say('entry', { number: index + 1 })}
            value={text}
            onChange={(changed) => onChange(entries.map((entry) => (entry.id === id ? { id, text: changed } : entry)))}
            onEnter={() => text.trim() !== '' && add()}
            error={errors[`${path}.${id}`]}
          />
          {(entries.length > 1 || text !== '') && (
            <Button kind="quiet" aria-label={say('remove', { number: index + 1 })} onClick={() => remove(id)}>
              <Icon name="cross" />
            </Button>
          )}
        </div>
      ))}
      {errors[path] && <p className="field-error">{errors[path]}</p>}
      <Button ref={addButton} onClick={add}>
        {say('add')}
      </Button>
    </fieldset>
  );
}
