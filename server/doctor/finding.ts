/** One line of the doctor's; `text` says what is so and, where something failed, what to do. It holds no secret. */
export type Finding = { outcome: 'ok' | 'FAILED' | 'skipped'; subject: string; text: string };

/** The findings of one subject. */
export function findingsOn(subject: string) {
  return {
    ok: (text: string): Finding => ({ outcome: 'ok', subject, text }),
    failed: (text: string): Finding => ({ outcome: 'FAILED', subject, text }),
    skipped: (text: string): Finding => ({ outcome: 'skipped', subject, text }),
  };
}

export function formatFinding({ outcome, subject, text }: Finding): string {
  return `${outcome.padEnd(8)} ${subject.padEnd(13)} ${text}`;
}

/** Why something failed: the innermost cause's own words, on one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return error.message.replace(/\s+/g, ' ');
}
