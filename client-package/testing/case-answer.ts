import { type Answer, hangsUp, sendsResponse, staysSilent } from './answers.ts';
import { type CaseAnswer, sentChunks } from './retry-cases.ts';

/** Converts the answer of a case for `FakeBackend.answer`. Its pauses are divided by `clockSpeed`. */
export function toAnswer(answer: CaseAnswer, clockSpeed = 1): Answer {
  if (answer === null) return hangsUp;
  const { status, headers, pauseSeconds, isCut, silence } = answer;
  if (silence === 'before the headers') return staysSilent;
  const chunks = sentChunks(answer);
  const pauseMilliseconds =
    pauseSeconds === undefined ? realPauseMilliseconds / chunks.length : (pauseSeconds * 1000) / clockSpeed;
  return sendsResponse({
    status,
    headers: () => ({ ...headers, ...datesOf(answer) }),
    chunks,
    pauseMilliseconds,
    end: isCut ? 'break' : silence ? 'stay open' : 'end',
  });
}

/** The sum of the pauses, long enough that most clients read the chunks one by one. */
const realPauseMilliseconds = 200;

function datesOf({ retryAfterDateSeconds, dateAheadSeconds = 0 }: NonNullable<CaseAnswer>): Record<string, string> {
  if (retryAfterDateSeconds === undefined) return {};
  const now = Date.now() + dateAheadSeconds * 1000;
  return { Date: httpDate(now), 'Retry-After': httpDate(now + retryAfterDateSeconds * 1000) };
}

const httpDate = (milliseconds: number) => new Date(milliseconds).toUTCString();
