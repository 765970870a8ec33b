import { z } from 'zod';

const word = z
  .string()
  .regex(/^\w{1,64}$/)
  .optional()
  .catch(undefined);

const failureSchema = z.object({
  name: word,
  code: word,
  oauthError: z
    .object({ code: word, statusCode: z.int().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * What the log may know of a failed exchange: the kind of error, its code and the provider's status.
 * Messages and bodies stay out, since they may quote authorization codes, tokens or secrets.
 */
export function describeFailure(cause: unknown) {
  const { name, code, oauthError } = failureSchema.catch({}).parse(cause);
  return { error: name, code: code ?? oauthError?.code, status: oauthError?.statusCode };
}
