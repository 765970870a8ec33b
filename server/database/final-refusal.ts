/** SQLSTATE's classes of values that a column cannot hold, and of constraints that a row would break. */
const finalClasses = /^2[23]/;

/** Whether the database has understood a write and refuses it, so that doing it again cannot help. */
export function isFinalRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && finalClasses.test(error.code);
}
