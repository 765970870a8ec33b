import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const rootUrl = pathToFileURL(root).href;

/** Where `node_modules` is a link, its files stand somewhere else. */
const packages = '/node_modules/';

/** What V8 writes before the message: `TypeError [ERR_INVALID_URL]: `. */
const heading = /^(?:[\w$]{0,64}(?: \[\w{1,64}\])?: )?$/;
/** Where there is no message. */
const headingAlone = /^[\w$]{0,64}(?: \[\w{1,64}\])?$/;
const frame = /^ {4}at /;
const place = /^[\w@%+./-]{1,120}:\d+:\d+$/;
const placeInNode = /node:[\w/]{1,120}:\d+:\d+/;

/** V8 writes no more of them. */
const mostFrames = 10;

/**
 * Where an error was made and who called, the innermost first: `server/chat/exchange.ts:31:9`, from the project's root,
 * or `node:net:1607:16`. Functions are not named.
 */
export function placesOf(error: Error): string[] {
  return framesOf(error)
    .map(placeOf)
    .filter((found) => found !== undefined);
}

/** Whether the `new` that made this error stands in the product's own sources. */
export function isMadeHere(error: Error): boolean {
  const [innermost = ''] = framesOf(error);
  return /^(?:server|shared)\//.test(placeOf(innermost) ?? '');
}

/**
 * The frames that V8 wrote. A stack begins with the message, and a message can have lines that look like frames: only
 * what stands directly below the whole message counts. The ORM adds such lines of another error at the end.
 */
function framesOf({ stack, message }: Error): string[] {
  if (typeof stack !== 'string' || typeof message !== 'string') return [];
  const lines = linesBelow(message, stack);
  const end = lines.findIndex((line) => !frame.test(line));
  return lines.slice(0, end === -1 ? mostFrames : Math.min(end, mostFrames));
}

/** None where the stack does not begin with this message: the message was changed, and the stack quotes the old one. */
function linesBelow(message: string, stack: string): string[] {
  const begin = message === '' ? stack.indexOf('\n') : stack.indexOf(message);
  if (begin === -1 || !(message === '' ? headingAlone : heading).test(stack.slice(0, begin))) return [];
  const [rest, ...lines] = stack.slice(begin + message.length).split('\n');
  return rest === '' ? lines : [];
}

function placeOf(line: string): string | undefined {
  const start = [rootUrl, root, packages].find((each) => line.includes(each));
  if (start === undefined) return placeInNode.exec(line)?.[0];
  const found = line.slice(line.indexOf(start) + (start === packages ? 1 : start.length)).replace(/\)$/, '');
  return place.test(found) ? found : undefined;
}
