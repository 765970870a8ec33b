/** So much TeX is drawn in one task, where each formula counts for some characters more. More would block the page. */
const maxTexAtOnce = 4000;
const formulaCharacters = 20;

type Waiting = { tex: string; draw: () => void };

/**
 * Spreads the formulas of a text over tasks: the first ones are drawn at once, and those beyond the limit in tasks of their own, which
 * `later` starts.
 */
export function createFormulaTurns(later: (task: () => void) => void) {
  let drawn = 0;
  const waiting = new Set<Waiting>();

  function drawNow({ tex, draw }: Waiting): void {
    if (drawn === 0) later(drawWaiting);
    drawn += tex.length + formulaCharacters;
    draw();
  }

  function drawWaiting(): void {
    drawn = 0;
    for (const formula of waiting) {
      if (drawn >= maxTexAtOnce) return;
      waiting.delete(formula);
      drawNow(formula);
    }
  }

  /** Draws now and returns undefined, or draws in a later task and returns a function that cancels that. */
  return (tex: string, draw: () => void): (() => void) | undefined => {
    const formula = { tex, draw };
    if (drawn < maxTexAtOnce) {
      drawNow(formula);
      return undefined;
    }
    waiting.add(formula);
    return () => waiting.delete(formula);
  };
}
