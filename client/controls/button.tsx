import type { ComponentProps } from 'react';

type ButtonProps = Omit<ComponentProps<'button'>, 'className'> & { kind?: 'primary' | 'quiet' | 'action' };

export function Button({ kind, type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={kind ? `button button-${kind}` : 'button'} {...rest} />;
}
