import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { Organization } from './entities/organization.ts';
import { Identity, Membership, User } from './entities/user.ts';
import { createId } from './ids.ts';
import type { EntityManager, Orm } from './orm.ts';
import { acrossTenants } from './tenant.ts';

type ProviderIdentity = { provider: string; subject: string; name: string | null; email: string | null };

/** Who is who, before any organization is known: sign-in and the session work across tenants. */
export function createPeople(orm: Orm) {
  async function find(userId: string) {
    const user = await orm.em
      .fork()
      .findOne(User, { id: userId }, { ...acrossTenants, populate: ['organization'], strategy: 'joined' });
    if (user === null) return null;
    return {
      id: user.id,
      name: user.name ?? null,
      email: user.email ?? null,
      onboarded: user.onboardedAt !== null,
      organization: { id: user.organization.id, name: user.organization.name },
    };
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
