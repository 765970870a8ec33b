import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `danger` starts an action that cannot be undone, and `danger-primary` confirms it. */
type ButtonKind = 'primary' | 'quiet' | 'action' | 'danger' | 'danger-primary';

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & { kind?: ButtonKind };

export function Button({ kind, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={kind ? `button button-${kind}` : 'button'} {...rest} />;
}

type ActionProps = {
  icon: IconName;
  label: string;
  /** The label in the other state. The wider of the two sets the width, so nothing moves when the label changes. */
  otherLabel?: string;
  disabled?: boolean;
  onClick: () => void;
};

/** A small control. If there is no room for its label, it shows only its icon, and the label stays its accessible name. */
export function Action({ icon, label, otherLabel, ...rest }: ActionProps) {
  return (
    <Button kind="action" title={label} {...rest}>
      <Icon name={icon} />
      <span className="action-label" data-other={otherLabel}>
        {label}
      </span>
    </Button>
  );
}
