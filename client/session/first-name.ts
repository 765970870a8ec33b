/** Matches e-mail addresses and logins, but no names in scripts without capital letters. */
const loginPattern = /@|^[a-z\d._-]+$/;

/** Returns the name for a greeting; null if `name` is a login. In “Example, Robin” the family name comes first. */
export function firstName(name: string | null): string | null {
  if (name === null || loginPattern.test(name)) return null;
  const givenNames = name.split(',').at(-1)?.trim() || name;
  return givenNames.split(/\s/, 1)[0] ?? name;
}
