import { z } from 'zod';

const inForm = (form: RegExp) => z.string().regex(form).optional().catch(undefined);

/** A class of errors. */
const name = inForm(/^[A-Z]\w{0,50}Error$/);
/** An OAuth error or a code of Node's: authorization codes and tokens do not look like either. */
const code = inForm(/^(?:[a-z]{1,20}(?:_[a-z]{1,20}){0,4}|(?:ERR|E[A-Z]{2,16})(?:_[A-Z0-9]{1,20}){0,6})$/);

const failureSchema = z.object({
  name,
  code,
  oauthError: z
    .object({ code, statusCode: z.int().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * What the log may know of a failed exchange: the kind of error, its code and the provider's status.
 * Messages and bodies stay out, since they may quote authorization codes, tokens or secrets. A value that does not look like
 * a kind or a code stays out too: the provider, or any caller of the callback, can choose it.
 */
export function describeFailure(cause: unknown) {
  const found = failureSchema.catch({}).parse(cause);
  return { error: found.name, code: found.code ?? found.oauthError?.code, status: found.oauthError?.statusCode };
}
