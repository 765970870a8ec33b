import { dataSection } from '../data-section.ts';

export type UserFacts = { name: string | null; role: string | null };

export function userLayer({ name, role }: UserFacts): string {
  return `# L5 User

The person you are talking with, a member of that organization. Suit depth and examples to the role. A null is
something you do not know.

${dataSection({ user: { name, role } })}`;
}
