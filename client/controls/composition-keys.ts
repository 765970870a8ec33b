/** Hides the keys of an input method from the page: Enter confirms a suggestion, for example, and Escape discards it. */
export function hideCompositionKeys(): void {
  // Capturing on the window runs before every other listener of the page.
  window.addEventListener('keydown', (event) => isComposing(event) && event.stopImmediatePropagation(), {
    capture: true,
  });
}

/** Safari ends a composition before its last key, which only has the key code 229. */
function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
