import { useEffect } from 'react';

/** Calls the `listener` of the latest drawing at each such event of the window, for as long as the component is shown. */
export function useWindowEvent<Type extends keyof WindowEventMap>(
  type: Type,
  listener: (event: WindowEventMap[Type]) => void,
): void {
  useEffect(() => {
    window.addEventListener(type, listener);
    return () => window.removeEventListener(type, listener);
  });
}
