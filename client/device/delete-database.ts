/** Deletes the database `name` as soon as every tab has closed it. Has no effect if the browser denies IndexedDB. */
export function deleteDatabase(name: string): void {
  try {
    indexedDB.deleteDatabase(name);
  } catch {
    // Without IndexedDB there is nothing to delete.
  }
}
