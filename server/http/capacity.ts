import type { Response } from 'express';
import { capacitySentences } from '../../shared/errors.ts';
import { AppError } from '../app-error.ts';

/** The limits of this process that refuse a request with 503, by their names in the log and the metrics, with their public sentences. */
export const capacityLimits = {
  turns: 'service',
  'turns-demo': 'demo',
  'turns-user': 'user',
  'late-writes': 'service',
  bodies: 'bodies',
  'bodies-demo': 'demo',
  'bodies-user': 'share',
  'bodies-address': 'share',
} as const satisfies Record<string, keyof typeof capacitySentences>;

export type CapacityLimit = keyof typeof capacityLimits;

/** Uses a code that clients retry soon, because capacity can become free within a second, here or on another instance. */
export function capacityError(response: Response, limit: CapacityLimit): AppError {
  response.locals.context.addToLog({ capacity: limit });
  return new AppError('UPSTREAM_OVERLOADED', { sentence: capacitySentences[capacityLimits[limit]] });
}
