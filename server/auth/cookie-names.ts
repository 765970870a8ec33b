/** The session cookie's name, with which the names of sign-in attempts begin too. */
export const cookieBaseName = 'advisory-chat';

/** `__Host-` makes the browser itself refuse the cookie without `Secure`, from a subdomain or for another path. */
export const cookieName = (name: string, secure: boolean) => (secure ? `__Host-${name}` : name);

export const cookieAttributes = { httpOnly: true, sameSite: 'lax', path: '/' } as const;
