import { dataSection } from '../data-section.ts';

export type OrganizationFacts = { name: string; industry: string | null; size: string | null };

export function organizationLayer({ name, industry, size }: OrganizationFacts): string {
  return `# L4 Organization

The organization whose engagement this is, as it describes itself. A null is something it has not said: ask for it
where it matters, and do not guess.

${dataSection({ organization: { name, industry, size } })}`;
}
