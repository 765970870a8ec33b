import { tenantRole } from './tenant.ts';

/** What PostgreSQL says, in any version, to a login that may not make or grant a role. */
const refusals = /^(permission denied to (create|grant) role|must have admin option on role)/;

/**
 * Says what an administrator has to do when `login` needs the tenant role and cannot get it by its own rights.
 * @throws always: that sentence, or the error as it was
 */
export function refuseWithRemedy(login: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error && refusals.test(error.message))) throw error;
    const [reason] = error.message.split('\n');
    throw new Error(
      `${reason}. The role ${tenantRole} is needed, and the login ${login} has to be a member of it. ` +
        `As an administrator of the database server: create role ${tenantRole} nologin nosuperuser nobypassrls; ` +
        `(unless it is there) grant ${tenantRole} to "${login}"; Then start again.`,
      { cause: error },
    );
  };
}
