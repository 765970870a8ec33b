/** The name of the session cookie, without the prefix of `cookieName`. The names of the sign-in cookies start with it too. */
export const cookieBaseName = 'advisory-chat';

/** Browsers reject a `__Host-` cookie that lacks `Secure`, has a `Domain` or has another path than `/`. */
export const cookieName = (name: string, secure: boolean) => (secure ? `__Host-${name}` : name);

export const cookieAttributes = { httpOnly: true, sameSite: 'lax', path: '/' } as const;
