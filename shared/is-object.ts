/** Narrows a value of unknown origin so that its fields can be read. True for arrays too. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
