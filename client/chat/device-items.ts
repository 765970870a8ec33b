/** `localStorage`, or anything alike. */
export type DeviceItems = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** The keys of all items whose key begins with `beginning`. */
export function keysBeginning(storage: DeviceItems, beginning: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
  return keys.filter((key) => key.startsWith(beginning));
}
