import type { KeyboardEvent } from 'react';
import { useTranslations } from 'use-intl/react';

type FieldProps = {
  /** Unique on the page: a summary of complaints links to it. */
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hint?: string;
  optional?: boolean;
  multiline?: boolean;
  autoComplete?: string;
  /** Proposals to choose from; anything else can be typed as well. */
  choices?: readonly string[];
  /** What Enter does instead of submitting the form. */
  onEnter?: () => void;
};

/** A labelled text field with its complaint. What is said about it is tied to it for screen readers. */
export function Field({ id, label, value, onChange, error, hint, optional, multiline, ...rest }: FieldProps) {
  const say = useTranslations('onboarding');
  const { autoComplete, choices, onEnter } = rest;
  const shared = {
    id,
    value,
    dir: 'auto',
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-about`,
    autoComplete,
  };
  const enter = (event: KeyboardEvent) => {
    // Enter also confirms what an input method proposes.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || onEnter === undefined) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {optional && <span className="optional">{say('optional')}</span>}
      </div>
      {multiline ? (
        <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input
          {...shared}
          type="text"
          list={choices && `${id}-choices`}
          onChange={(event) => onChange(event.target.value)}
          onKeyDown={enter}
        />
      )}
      {choices && (
        <datalist id={`${id}-choices`}>
          {choices.map((choice) => (
            <option key={choice} value={choice} />
          ))}
        </datalist>
      )}
      <div id={`${id}-about`}>
        {error && <p className="field-error">{error}</p>}
        {hint && <p className="hint">{hint}</p>}
      </div>
    </div>
  );
}
