/** For a field's `dir`: that of the text in it, and while there is none that of the interface, for its placeholder and the caret. */
export function directionOf(text: string): 'auto' | undefined {
  return text === '' ? undefined : 'auto';
}
