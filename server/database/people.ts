import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { Client } from './client.ts';
import { Organization } from './entities/organization.ts';
import { Identity, Membership, User } from './entities/user.ts';
import { createId } from './ids.ts';
import type { EntityManager, Orm } from './orm.ts';

type ProviderIdentity = { provider: string; subject: string; name: string | null; email: string | null };

export type Person = {
  id: string;
  name: string | null;
  email: string | null;
  onboarded: boolean;
  organization: { id: string; name: string };
};

/** Who is who, before any organization is known: sign-in and the session work across tenants. */
export function createPeople(orm: Orm, client: Client) {
  /** In SQL, for entities would cost several times as much. */
  async function find(userId: string): Promise<Person | null> {
    const { rows } = await client.query<Person>(
      `select users.id, users.name, email, onboarded_at is not null as onboarded,
              json_build_object('id', org_id, 'name', organizations.name) as organization
         from users join organizations on organizations.id = org_id
        where users.id = $1`,
      [userId],
    );
    return rows[0] ?? null;
  }

  async function findByIdentity({ provider, subject }: ProviderIdentity) {
    const identity = await orm.em.fork().findOne(Identity, { provider, subject });
    return identity === null ? null : find(identity.userId);
  }

  return {
    /** The person with their present organization, or null where there is none (any more). */
    find,

    /** The person with this identity; at their first sign-in, with an organization of their own. */
    async signIn(identity: ProviderIdentity) {
      const known = await findByIdentity(identity);
      if (known !== null) return known;
      try {
        await orm.em.fork().transactional((em) => insertPerson(em, identity));
      } catch (error) {
        // Somebody's double click: the other request was first.
        if (!(error instanceof UniqueConstraintViolationException)) throw error;
      }
      const person = await findByIdentity(identity);
      if (person === null) throw new Error('A person who has just signed in cannot be found.');
      return person;
    },
  };
}

async function insertPerson(em: EntityManager, { provider, subject, name, email }: ProviderIdentity) {
  const orgId = createId();
  const userId = createId();
  await em.insert(Organization, { id: orgId, name: name === null ? 'New organization' : `${name}'s organization` });
  await em.insert(User, { id: userId, organization: orgId, name, email });
  await em.insert(Membership, { userId, orgId });
  await em.insert(Identity, { provider, subject, userId });
}
