import { useId } from 'react';

type ChoiceProps<Value extends string> = {
  legend: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
  hint?: string;
};

/** One setting that has a few values, all of them in sight. */
export function Choice<Value extends string>({ legend, options, value, onChange, hint }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <fieldset className="choice" aria-describedby={hint && `${id}hint`}>
      <legend>{legend}</legend>
      <div className="choice-options">
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {hint && (
        <p id={`${id}hint`} className="hint">
          {hint}
        </p>
      )}
    </fieldset>
  );
}
