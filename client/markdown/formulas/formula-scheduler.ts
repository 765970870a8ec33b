/** The limit per task in characters of TeX. Drawing more would block the page. */
const maxTexPerTask = 4000;
/** The fixed cost of a formula, in characters of TeX. */
const formulaCharacters = 20;

type QueuedFormula = { tex: string; draw: () => void };

/** Draws formulas immediately up to a limit, and the others in later tasks, which `later` schedules. */
export function createFormulaScheduler(later: (task: () => void) => void) {
  let charactersInTask = 0;
  const queue = new Set<QueuedFormula>();

  function drawNow({ tex, draw }: QueuedFormula): void {
    if (charactersInTask === 0) later(drawQueued);
    charactersInTask += tex.length + formulaCharacters;
    draw();
  }

  function drawQueued(): void {
    charactersInTask = 0;
    for (const formula of queue) {
      if (charactersInTask >= maxTexPerTask) return;
      queue.delete(formula);
      drawNow(formula);
    }
  }

  /** Draws immediately and returns undefined, or schedules the drawing and returns a function that cancels it. */
  return (tex: string, draw: () => void): (() => void) | undefined => {
    const formula = { tex, draw };
    if (charactersInTask < maxTexPerTask) {
      drawNow(formula);
      return undefined;
    }
    queue.add(formula);
    return () => queue.delete(formula);
  };
}
