/** Hides key presses that an input method handles, such as Enter to accept a suggestion or Escape to discard it. */
export function hideCompositionKeys(): void {
  // A capturing listener of the window runs before all other listeners of the page.
  window.addEventListener('keydown', (event) => isComposing(event) && event.stopImmediatePropagation(), {
    capture: true,
  });
}

/** Safari sends the last key press of a composition after its end, when only the key code 229 identifies it. */
function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}
