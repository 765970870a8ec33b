export type SessionCookie = ReturnType<typeof sessionCookie>;

/**
 * Returns the name and the attributes of the session cookie of the service at `publicUrl`. The names of the sign-in cookies start with
 * the same name.
 */
export function sessionCookie(publicUrl: string) {
  const { protocol, port } = new URL(publicUrl);
  const secure = protocol === 'https:';
  return {
    // Browsers reject a `__Host-` cookie that lacks `Secure`, has a `Domain` or has another path than `/`. Cookies do not belong to a
    // port: without it in the name, two instances on one machine would replace each other's sessions.
    name: secure ? '__Host-advisory-chat' : `advisory-chat-${port || 80}`,
    attributes: { httpOnly: true, sameSite: 'lax', path: '/', secure },
  } as const;
}
