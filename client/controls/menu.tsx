import {
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { useWindowEvent } from '../browser/use-window-event.ts';
import { Icon, type IconName } from './icon.tsx';

type MenuProps = {
  buttonClass: string;
  /** The content of the button; “…” by default, which needs a `label`. */
  content?: ReactNode;
  label?: string;
  tabIndex?: number;
  buttonRef?: RefObject<HTMLButtonElement | null>;
  onOpen?: () => void;
  top?: ReactNode;
  bottom?: ReactNode;
  /**
   * Called only while the menu is open. `close` returns the focus to the button. `closeThen` runs `next` after that, so that a dialog
   * that `next` opens returns the focus there too.
   */
  children: (close: () => void, closeThen: (next: () => void) => void) => ReactNode;
};

export function Menu({ buttonClass, content, label, tabIndex, buttonRef, onOpen, top, bottom, children }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const ownRef = useRef<HTMLButtonElement>(null);
  const trigger = buttonRef ?? ownRef;
  const wasOpenOnPress = useRef(false);
  const id = useId();
  return (
    <>
      <button
        ref={trigger}
        type="button"
        className={buttonClass}
        id={`${id}button`}
        title={label}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        tabIndex={tabIndex}
        // Pressing the button while the menu is open closes it, and the click that follows must not open it again.
        onPointerDown={() => {
          wasOpenOnPress.current = isOpen;
        }}
        onClick={() => {
          if (!wasOpenOnPress.current) {
            onOpen?.();
            setIsOpen(true);
          }
          wasOpenOnPress.current = false;
        }}
      >
        {content ?? <Icon name="more" />}
      </button>
      {isOpen && (
        <OpenMenu id={id} trigger={trigger} top={top} bottom={bottom} onClosed={() => setIsOpen(false)}>
          {children}
        </OpenMenu>
      )}
    </>
  );
}

type OpenMenuProps = Pick<MenuProps, 'top' | 'bottom' | 'children'> & {
  id: string;
  trigger: RefObject<HTMLButtonElement | null>;
  onClosed: () => void;
};

/** The menu closes on Escape, Tab, a press outside, a resize of the window, and a scroll that moves its button. */
function OpenMenu({ id, trigger, top, bottom, onClosed, children }: OpenMenuProps) {
  const menu = useRef<HTMLDivElement>(null);
  const openedAt = useRef<number>(undefined);

  const close = () => {
    if (menu.current === null) return;
    menu.current.hidePopover();
    trigger.current?.focus({ preventScroll: true });
  };
  const closeThen = (next: () => void) => {
    close();
    next();
  };

  useLayoutEffect(() => {
    if (menu.current === null || trigger.current === null || menu.current.matches(':popover-open')) return;
    menu.current.showPopover();
    place(menu.current, trigger.current);
    openedAt.current = trigger.current.getBoundingClientRect().top;
    itemsIn(menu.current)[0]?.focus({ preventScroll: true });
  }, [trigger]);

  // Captured, because the scroll events of elements do not bubble.
  useWindowEvent(
    'scroll',
    () => {
      if (trigger.current?.getBoundingClientRect().top !== openedAt.current) menu.current?.hidePopover();
    },
    { capture: true },
  );
  useWindowEvent('resize', () => menu.current?.hidePopover());

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    // If the event propagated, the list around the menu would handle the arrow keys, and Escape would stop the running reply.
    event.stopPropagation();
    // Keeps Escape from closing a dialog around the menu.
    if (event.key === 'Escape') event.preventDefault();
    if (event.key === 'Escape' || event.key === 'Tab') close();
    const items = itemsIn(event.currentTarget);
    const focused = items.findIndex((item) => item.matches(':focus'));
    const next = steps[event.key]?.(focused, items.length);
    if (next === undefined) return;
    event.preventDefault();
    items[next]?.focus();
  };
  return (
    <div ref={menu} className="menu" popover="auto" onToggle={({ newState }) => newState === 'closed' && onClosed()}>
      {top}
      <div id={id} role="menu" aria-labelledby={`${id}button`} tabIndex={-1} onKeyDown={onKeyDown}>
        {children(close, closeThen)}
      </div>
      {bottom}
    </div>
  );
}

type MenuItemProps = {
  icon?: IconName;
  isDestructive?: boolean;
  disabled?: boolean;
  hasDialog?: boolean;
  onClick: (event: MouseEvent) => void;
  children: ReactNode;
};

export function MenuItem({ icon, isDestructive = false, hasDialog = false, children, ...rest }: MenuItemProps) {
  return (
    <button
      type="button"
      role="menuitem"
      tabIndex={-1}
      className={isDestructive ? 'menu-item menu-item-danger' : 'menu-item'}
      aria-haspopup={hasDialog ? 'dialog' : undefined}
      {...rest}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

const gapPixels = 4;

/** Never covers `button`, so that a double click on the button does not choose an item. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const space = { below: clientHeight - bottom - 2 * gapPixels, above: top - 2 * gapPixels };
  const isBelow = space.below >= menu.offsetHeight || space.below >= space.above;
  menu.style.maxHeight = `${isBelow ? space.below : space.above}px`;
  menu.style.top = `${isBelow ? bottom + gapPixels : top - gapPixels - menu.offsetHeight}px`;

  const isLeftToRight = getComputedStyle(button).direction === 'ltr';
  const x = isLeftToRight ? left : right - menu.offsetWidth;
  menu.style.left = `${Math.max(gapPixels, Math.min(x, clientWidth - menu.offsetWidth - gapPixels))}px`;
}

function itemsIn(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]:not(:disabled)')];
}

const steps: Partial<Record<string, (index: number, count: number) => number>> = {
  ArrowDown: (index, count) => (index + 1) % count,
  ArrowUp: (index, count) => (Math.max(index, 0) - 1 + count) % count,
  Home: () => 0,
  End: (_index, count) => count - 1,
};
