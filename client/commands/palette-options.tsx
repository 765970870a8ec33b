/** One line of the palette; `key` is what does the same without it. */
export type Option = { id: string; title: string; key?: string | undefined; run: () => void };

type PaletteOptionsProps = {
  label: string;
  options: readonly Option[];
  /** The one that Enter chooses. */
  current: Option | undefined;
  onChoose: (action: () => void) => void;
};

/** One kind of what the palette lists. */
export function PaletteOptions({ label, options, current, onChoose }: PaletteOptionsProps) {
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
