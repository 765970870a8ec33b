import { ConstraintViolationException } from '@mikro-orm/core';

/** Whether the database has understood a write and refuses it, so that doing it again cannot help. */
export function isFinalRefusal(error: unknown): boolean {
  return error instanceof ConstraintViolationException;
}
