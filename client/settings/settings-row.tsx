import { type ReactNode, useId } from 'react';
import { Button } from '../controls/button.tsx';

export function SettingsGroup({ heading, children }: { heading: string; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{heading}</h3>
      {children}
    </section>
  );
}

type ControlProps = { id: string; 'aria-labelledby': string; 'aria-describedby': string | undefined };

type SettingsRowProps = {
  name: string;
  help?: ReactNode;
  /** Whether a click on the name activates the control. */
  isLabel?: boolean;
  /** Returns the control, which needs these properties for its name and description. */
  children?: (props: ControlProps) => ReactNode;
};

export function SettingsRow({ name, help, isLabel = false, children }: SettingsRowProps) {
  const id = useId();
  const ids = { control: `${id}control`, name: `${id}name`, help: `${id}help` };
  return (
    <div className="settings-row">
      <div>
        {isLabel ? (
          <label id={ids.name} htmlFor={ids.control}>
            {name}
          </label>
        ) : (
          <p id={ids.name}>{name}</p>
        )}
        {help && (
          <div id={ids.help} className="hint">
            {help}
          </div>
        )}
      </div>
      {children?.({
        id: ids.control,
        'aria-labelledby': ids.name,
        'aria-describedby': help ? ids.help : undefined,
      })}
    </div>
  );
}

type ActionRowProps = {
  name: string;
  help?: ReactNode;
  /** The visible text of the button, whose accessible name begins with `name`. */
  action: string;
  kind?: 'danger';
  onClick: () => void;
};

export function ActionRow({ name, help, action, kind, onClick }: ActionRowProps) {
  return (
    <SettingsRow name={name} help={help}>
      {({ id, 'aria-labelledby': nameId, ...description }) => (
        <Button {...(kind && { kind })} {...description} id={id} aria-labelledby={`${nameId} ${id}`} onClick={onClick}>
          {action}
        </Button>
      )}
    </SettingsRow>
  );
}
