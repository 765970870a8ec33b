/** The role that tenant work runs as: neither owner nor superuser, so it cannot bypass row-level security. */
export const tenantRole = 'advisory_chat_tenant';

/**
 * The one declaration of tenant isolation, for every entity that belongs to an organization.
 * The ORM adds it to each query it builds and refuses to build one without an organization; the migration has the same
 * condition as a row-level security policy, which also covers what the ORM does not filter (raw SQL, upserts, inserts).
 */
export function tenantFilter(property: string) {
  return {
    tenant: {
      name: 'tenant',
      default: true,
      cond: ({ orgId }: { orgId?: string }) => {
        if (orgId === undefined) throw new Error('A tenant query needs an organization.');
        return { [property]: orgId };
      },
      rls: { setting: 'advisory_chat.org_id' },
    },
  };
}

/** For work that no organization owns (the operator's commands): a query says so by naming this. */
export const acrossTenants = { filters: { tenant: false } } as const;
