/** Whether `value`, which may have come from anywhere, has fields to look at. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
