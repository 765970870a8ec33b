import { type ComponentType, useEffect, useState } from 'react';
import { NotLoaded } from '../controls/not-loaded.tsx';
import type { FindBarProps } from './find-bar.tsx';

let loaded: ComponentType<FindBarProps> | undefined;

/** Loads the code of the find bar, which is not part of the first load. */
export async function loadFindBar(): Promise<ComponentType<FindBarProps>> {
  loaded = (await import('./find-bar.tsx')).FindBar;
  return loaded;
}

/** The find bar once it is loaded. `Suspense` would delay it by 0.3 s, and letters typed in the meantime would be lost. */
export function LazyFindBar(props: FindBarProps) {
  const [FindBar, setFindBar] = useState<ComponentType<FindBarProps> | undefined>(() => loaded);

  useEffect(() => {
    const show = (component: ComponentType<FindBarProps>) => setFindBar(() => component);
    loadFindBar().then(show, () => show(NotLoaded));
  }, []);

  return FindBar && <FindBar {...props} />;
}
