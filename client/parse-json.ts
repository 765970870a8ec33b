/** The value that `text` denotes, or null where it is absent or not JSON. */
export function parseJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return null;
  }
}
