import { tenantRole } from './tenant.ts';

/** What PostgreSQL says, of whatever version, to whom it does not let make or grant a role. */
const refusals = /^(permission denied to (create|grant) role|must have admin option on role)/;

/**
 * Says what an administrator has to do where `login` is to become the tenant role and may not by its own rights.
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
