/** Deletes the database `name` as soon as every tab has closed it. Does nothing where the browser denies databases. */
export function deleteDatabase(name: string): void {
  try {
    indexedDB.deleteDatabase(name);
  } catch {
    // Without databases there is nothing to delete.
  }
}
