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

/** Why something failed: the words of its root cause, on one line and without its full stop. */
export function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  const words = cause instanceof Error ? cause.message : String(cause);
  return words.replace(/\s+/g, ' ').replace(/[ .:]+$/, '');
}

export function rootCause(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootCause(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootCause(error.cause) : error;
}
