/** What a command prints where it is asked for JSON. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The day of a date, as tables show it. */
export function dayOf(date: Date | null): string | undefined {
  return date === null ? undefined : new Date(date).toISOString().slice(0, 10);
}
