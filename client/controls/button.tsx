import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `danger` opens what cannot be undone, and `danger-primary` confirms it. */
type ButtonKind = 'primary' | 'quiet' | 'action' | 'danger' | 'danger-primary';

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & { kind?: ButtonKind };

export function Button({ kind, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={kind ? `button button-${kind}` : 'button'} {...rest} />;
}

type ActionProps = { icon: IconName; label: string; disabled?: boolean; onClick: () => void };

/** A small control. Without room for words it shows only its sign, and the words stay its name. */
export function Action({ icon, label, ...rest }: ActionProps) {
  return (
    <Button kind="action" title={label} {...rest}>
      <Icon name={icon} />
      <span className="action-label">{label}</span>
    </Button>
  );
}
