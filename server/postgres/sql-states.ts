/** The SQLSTATEs that the service distinguishes or sets itself, under PostgreSQL's names for them. */
export const sqlStates = {
  sqlclientUnableToEstablishSqlconnection: '08001',
  connectionFailure: '08006',
  protocolViolation: '08P01',
  featureNotSupported: '0A000',
  readOnlySqlTransaction: '25006',
  deadlockDetected: '40P01',
  insufficientPrivilege: '42501',
  tooManyConnections: '53300',
  lockNotAvailable: '55P03',
  queryCanceled: '57014',
} as const;

export const sqlStateClasses = {
  /** Connection exceptions, and a server that is shutting down, has crashed, is starting or has ended an idle session. */
  unavailable: /^(?:08\w{3}|57P0[1235])$/,
  /** Data exceptions and integrity constraint violations. */
  rejectedWrite: /^2[23]\w{3}$/,
  /** The server answers but cannot write for anyone: a standby, a missing privilege, a full disk or memory, or a system error. */
  cannotWrite: /^(?:25006|42501|53\w{3}|58\w{3})$/,
  invalidAuthorization: /^28\w{3}$/,
};

/** Returns the SQLSTATE of a PostgreSQL error, or the code of an error of Node; an empty string without one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

const lockConflicts: readonly string[] = [sqlStates.lockNotAvailable, sqlStates.deadlockDetected];

/** Returns true if the transaction failed because of the locks of another one, so a retry can succeed. */
export function isLockConflict(error: unknown): boolean {
  return lockConflicts.includes(codeOf(error));
}
