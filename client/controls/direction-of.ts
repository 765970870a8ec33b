/** Returns the `dir` of a field. An empty one inherits the direction of the interface, for its placeholder and caret. */
export function directionOf(text: string): 'auto' | undefined {
  return text === '' ? undefined : 'auto';
}
