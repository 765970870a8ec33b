/** In characters of TeX. Drawing more would block the page. */
const maxTexPerTask = 4000;
/** The fixed cost of a formula, in characters of TeX. */
const formulaCharacters = 20;

type Waiting = { tex: string; draw: () => void };

/** Draws formulas immediately up to a limit, and the others in later tasks, which `later` schedules. */
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
      if (drawn >= maxTexPerTask) return;
      waiting.delete(formula);
      drawNow(formula);
    }
  }

  /** Draws immediately and returns undefined, or schedules the drawing and returns a function that cancels it. */
  return (tex: string, draw: () => void): (() => void) | undefined => {
    const formula = { tex, draw };
    if (drawn < maxTexPerTask) {
      drawNow(formula);
      return undefined;
    }
    waiting.add(formula);
    return () => waiting.delete(formula);
  };
}
