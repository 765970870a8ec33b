import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

type ActionProps = { icon: IconName; label: string; disabled?: boolean; onClick: () => void };

/** A small control whose words give way to its sign where there is no room for both; its name they stay. */
export function Action({ icon, label, ...rest }: ActionProps) {
  return (
    <Button kind="action" title={label} {...rest}>
      <Icon name={icon} />
      <span className="action-label">{label}</span>
    </Button>
  );
}
