import type { ComponentProps } from 'react';
import { Icon, type IconName } from './icon.tsx';

/** `danger` starts an action that cannot be undone, and `danger-primary` confirms it. */
type ButtonKind = 'primary' | 'quiet' | 'action' | 'danger' | 'danger-primary';

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & { kind?: ButtonKind };

export function Button({ kind, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={kind ? `button button-${kind}` : 'button'} {...rest} />;
}

type IconButtonProps = Omit<ButtonProps, 'kind' | 'children'> & {
  icon: IconName;
  label: string;
  /** Set if the icon by itself does not tell what the action does. */
  isLabelVisible?: boolean;
};

/** Shows only its icon by default. The label is its accessible name, and its tooltip while it is hovered or has the keyboard's focus. */
export function IconButton({ icon, label, isLabelVisible = false, ...rest }: IconButtonProps) {
  return (
    <Button kind="action" {...rest}>
      <Icon name={icon} />
      <span className={isLabelVisible ? undefined : 'tooltip'}>{label}</span>
    </Button>
  );
}
