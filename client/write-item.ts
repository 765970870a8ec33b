/** Writes an item, or removes it if `text` is null. If the storage is full, the item stays unchanged and the result is false. */
export function writeItem(storage: Pick<Storage, 'setItem' | 'removeItem'>, key: string, text: string | null): boolean {
  try {
    if (text === null) storage.removeItem(key);
    else storage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
