/** A second tap at the same place within this time belongs to the same gesture. Only clicks of a mouse are counted in `detail`. */
const doubleTapMilliseconds = 300;

/** Two taps of a finger are rarely at the same pixel. */
const samePlacePixels = 24;

type Click = { control: Element | null; time: number; x: number; y: number };

/**
 * Ignores the second click of a double click, or the second tap of a double tap, if another control is under the pointer by then.
 * For example, the next row of a list moves up when the first click deletes a row. A second click on the same control still takes
 * effect, and so do clicks by keyboard or script, whose `detail` is 0.
 */
export function ignoreMisplacedClicks(): void {
  let last: Click | undefined;

  // A capturing listener of the window runs before all other listeners of the page.
  const onClick = (event: MouseEvent) => {
    if (event.detail === 0) return;
    const click = { control: controlAt(event.target), time: event.timeStamp, x: event.clientX, y: event.clientY };
    if (last !== undefined && isRepeated(event, click, last) && click.control !== last.control) {
      // Further clicks of the same gesture are compared with the first control too.
      last = { ...click, control: last.control };
      if (click.control === null) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    last = click;
  };
  window.addEventListener('click', onClick, { capture: true });
}

function isRepeated(event: MouseEvent, click: Click, last: Click): boolean {
  if (event.detail > 1) return true;
  if (event instanceof PointerEvent && event.pointerType === 'mouse') return false;
  const distance = Math.hypot(click.x - last.x, click.y - last.y);
  return click.time - last.time < doubleTapMilliseconds && distance < samePlacePixels;
}

/** Returns the control that contains `target`. A label counts as its field, because the browser clicks the field too. */
function controlAt(target: EventTarget | null): Element | null {
  if (!(target instanceof Element)) return null;
  const control = target.closest('a, button, input, select, textarea, summary, label');
  return control instanceof HTMLLabelElement ? (control.control ?? control) : control;
}
