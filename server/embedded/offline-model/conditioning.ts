import { z } from 'zod';
import { readDataSection } from '../../prompt/data-section.ts';
import type { ProviderBody } from '../provider-request.ts';

/** The facts that a system prompt may hold. What has another shape is left out, whatever it is. */
const factsSchema = z.object({
  organization: z.object({ name: z.string() }).optional().catch(undefined),
  user: z.object({ name: z.string().nullish(), role: z.string().nullish() }).optional().catch(undefined),
  engagement: z
    .object({
      week: z.number(),
      focus: z.string().optional(),
      hypotheses: z.array(z.object({ statement: z.string(), status: z.string() })),
      unknowns: z.array(z.object({ question: z.string() })),
      findings: z.array(z.object({ statement: z.string(), week: z.number() })),
    })
    .optional()
    .catch(undefined),
});

/** What a reply is conditioned on, as far as the prompt says. */
export type Conditioning = z.infer<typeof factsSchema>;

/** Reads the data sections of a system prompt, one to a block; later blocks add to earlier ones. Never throws. */
export function readConditioning(system: ProviderBody['system']): Conditioning {
  const texts = typeof system === 'string' ? [system] : (system ?? []).map(({ text }) => text);
  return Object.assign({}, ...texts.map(readFacts));
}

function readFacts(text: string): Conditioning {
  try {
    return factsSchema.parse(readDataSection(text));
  } catch {
    return {};
  }
}
