import { useEffect, useEffectEvent } from 'react';

declare global {
  interface WindowEventMap {
    /** An event of the document that bubbles to the window. */
    visibilitychange: Event;
  }
}

/** Calls the `listener` of the latest render. With `capture`, it runs before the listeners of elements. */
export function useWindowEvent<Type extends keyof WindowEventMap>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
  { capture = false }: { capture?: boolean } = {},
): void {
  const onEvent = useEffectEvent(listener);
  useEffect(() => {
    const handle = (event: WindowEventMap[Type]) => onEvent(event);
    window.addEventListener(type, handle, { capture });
    return () => window.removeEventListener(type, handle, { capture });
  }, [type, capture]);
}
