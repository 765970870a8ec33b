/** A text as the database holds it: what PostgreSQL cannot hold is replaced. */
export function storedText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
