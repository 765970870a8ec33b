/** Returns null if `text` is null or not valid JSON. */
export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
