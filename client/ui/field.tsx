import { useId } from 'react';

type FieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  hint?: string;
  optional?: boolean;
  multiline?: boolean;
  autoComplete?: string;
};

/** A labelled text field with its complaint. What is said about it is tied to it for screen readers. */
export function Field({ label, value, onChange, error, hint, optional, multiline, autoComplete }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    value,
    'aria-invalid': error !== undefined,
    'aria-describedby': `${id}-about`,
    autoComplete,
  };
  return (
    <div className="field">
      <div className="field-label">
        <label htmlFor={id}>{label}</label>
        {optional && <span className="optional">optional</span>}
      </div>
      {multiline ? (
        <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...shared} type="text" onChange={(event) => onChange(event.target.value)} />
      )}
      <div id={`${id}-about`}>
        {error && <p className="field-error">{error}</p>}
        {hint && <p className="hint">{hint}</p>}
      </div>
    </div>
  );
}
