import { z } from 'zod';

const cacheControl = z.looseObject({ type: z.literal('ephemeral') }).nullish();

const textBlock = z.looseObject({
  type: z.literal('text'),
  text: z.string().min(1, 'text content blocks must be non-empty'),
  cache_control: cacheControl,
});

const message = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string().min(1, 'messages must have non-empty content'), z.array(textBlock).min(1)]),
});

/** What the provider's message endpoint takes, as far as this service uses it; unknown fields are kept. */
const providerBodySchema = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z
    .array(message)
    .min(1, 'at least one message is required')
    .refine((messages) => messages.at(-1)?.role !== 'assistant', 'the conversation must end with a user message'),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  output_config: z.looseObject({ effort: z.enum(['low', 'medium', 'high', 'max']).optional() }).optional(),
});

export type ProviderBody = z.infer<typeof providerBodySchema>;

const mostBreakpoints = 4;

/** Parses and checks a request body as the provider does: what it would refuse comes back as the sentence of its refusal. */
export function parseProviderBody(text: string): { body: ProviderBody } | { problem: string } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { problem: 'The request body is not valid JSON.' };
  }
  const { data: body, error } = providerBodySchema.safeParse(json);
  if (error !== undefined) return { problem: firstProblem(error) };
  const breakpoints = countBreakpoints(body);
  if (breakpoints > mostBreakpoints) {
    return {
      problem: `A maximum of ${mostBreakpoints} blocks with cache_control may be provided. Found ${breakpoints}.`,
    };
  }
  return { body };
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'The request is not valid.';
  const path = issue.path.join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

function countBreakpoints({ system, messages }: ProviderBody): number {
  const contents = [system, ...messages.map(({ content }) => content)];
  return contents
    .flatMap((content) => (Array.isArray(content) ? content : []))
    .filter((block) => block.cache_control != null).length;
}

/** The plain text of `content`, its blocks as paragraphs. */
export function contentText(content: ProviderBody['messages'][number]['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n');
}
