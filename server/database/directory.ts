import type { Listing, Part } from './listing.ts';

type UserRow = {
  id: string;
  name: string | null;
  email: string | null;
  emailVerified: boolean;
  /** Where they sign in, and who they are there. */
  provider: string;
  subject: string;
  onboardedAt: Date | null;
  suspendedAt: Date | null;
  organization: { id: string; name: string };
};

type OrganizationRow = { id: string; name: string; industry: string | null; users: number };

const users = {
  table: 'users',
  called: 'user',
  columns: `users.id, users.name, email, email_verified as "emailVerified", provider, subject,
    onboarded_at as "onboardedAt", suspended_at as "suspendedAt",
    json_build_object('id', org_id, 'name', organizations.name) as organization`,
  from: 'users join organizations on organizations.id = org_id join identities on user_id = users.id',
} as const;

/** Who there is, in pages. */
export function createDirectory(pages: Listing) {
  return {
    /** Everybody, by the account that they sign in with: two people may claim one name and one address. */
    listUsers: (part?: Part) => pages<UserRow>({ ...users, action: 'list-users' }, part),

    /** Those whose name, address or id has `text` in it, in small letters or large. PostgreSQL reads all of them for that. */
    findUsers: (text: string, part?: Part) => {
      const has = (column: string) => `strpos(lower(${column}), lower(?)) > 0`;
      const condition = ['users.name', 'email', 'users.id'].map(has).join(' or ');
      const where = { condition, parameters: [text, text, text] };
      return pages<UserRow>({ ...users, action: 'find-user', where }, part);
    },

    /** With the number of users whose present organization each is. */
    listOrganizations: (part?: Part) =>
      pages<OrganizationRow>(
        {
          action: 'list-organizations',
          table: 'organizations',
          called: 'organization',
          columns: `organizations.id, name, industry,
            (select count(*)::int from users where users.org_id = organizations.id) as users`,
          from: 'organizations',
        },
        part,
      ),
  };
}
