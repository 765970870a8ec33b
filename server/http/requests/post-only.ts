import type { RequestHandler } from 'express';
import { HttpError } from './http-error.ts';

/** Follows a route's `post` and refuses every other method, the ones that the framework would answer by itself too. */
export const postOnly: RequestHandler = (_request, response) => {
  response.set('Allow', 'POST');
  throw new HttpError(405, 'This address takes POST only.');
};
