/** A ULID, as the service issues them: 26 characters. */
export const ulid = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
