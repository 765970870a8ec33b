/*
 * A small client that follows the guide to the interface without the package. The tests of the cases change one fragment of this text
 * at a time, so each rule has a line of its own.
 */

type Message = { role: 'user' | 'assistant'; content: string };
type Turn = { question: string; id: string; reply: string; complete: boolean };
type Failure = { code: string | undefined; retryAfter: number | undefined };
type Rule = { attempts: number; waits?: readonly number[] };
type Run = { url: string; questions: readonly string[]; clockSpeed: number };

const once = { attempts: 1, waits: [] };
const rules: Record<string, Rule> = {
  INVALID_JSON: once,
  MISSING_MESSAGES: once,
  LAST_MESSAGE_NOT_USER: once,
  UNAUTHENTICATED: once,
  NOT_ONBOARDED: once,
  RATE_LIMITED: { attempts: 5 },
  UPSTREAM_OVERLOADED: { attempts: 5, waits: [1, 2, 4, 8] },
  UPSTREAM_AUTH: once,
  UPSTREAM_BAD_REQUEST: once,
  UPSTREAM_ERROR: { attempts: 2, waits: [1] },
  INTERNAL: once,
};
const codesByStatus: Record<number, string> = {
  429: 'RATE_LIMITED',
  502: 'UPSTREAM_ERROR',
  503: 'UPSTREAM_OVERLOADED',
};
const errorLine = '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]';
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export async function runClient({ url, questions, clockSpeed }: Run): Promise<Omit<Turn, 'question' | 'id'>[]> {
  const turns: Turn[] = [];
  const results: Omit<Turn, 'question' | 'id'>[] = [];
  let conversationId: string | undefined;
  let blockedUntil = 0;

  for (const question of questions) {
    const last = question === '' ? turns.pop() : undefined;
    const turn = {
      question: last?.question ?? question,
      id: last?.id ?? crypto.randomUUID(),
      reply: '',
      complete: false,
    };
    if (Date.now() >= blockedUntil) await ask(turn);
    turns.push(turn);
    results.push({ reply: turn.reply, complete: turn.complete });
  }
  return results;

  async function ask(turn: Turn): Promise<void> {
    const failures: Failure[] = [];
    for (;;) {
      const failure = await attempt(turn).catch(() => undefined);
      if (failure === undefined) return;
      failures.push(failure);
      const seconds = nextWait(failures);
      if (seconds === undefined) {
        blockedUntil = Date.now() + (failure.retryAfter ?? 0) * 1000;
        return;
      }
      await sleep((seconds * 1000) / clockSpeed);
    }
  }

  /** Returns the failure if the response is an error, and undefined if it ends the turn. Rejects if the connection breaks. */
  async function attempt(turn: Turn): Promise<Failure | undefined> {
    const connection = new AbortController();
    const limit = () => setTimeout(() => connection.abort(), 120_000 / clockSpeed);
    let timer = limit();
    const restart = () => {
      clearTimeout(timer);
      timer = limit();
    };
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Request-Id': turn.id },
        body: JSON.stringify({ messages: messagesFor(turn), conversationId }),
        redirect: 'manual',
        signal: connection.signal,
      });
      restart();
      conversationId = response.headers.get('X-Conversation-Id') ?? conversationId;
      if (response.status >= 400) return await readFailure(response);
      const isText = /^text\/plain *(;|$)/i.test(response.headers.get('Content-Type') ?? '');
      if (response.status !== 200 || !isText) return undefined;
      const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
      for await (const bytes of response.body ?? []) {
        restart();
        turn.reply += decoder.decode(bytes, { stream: true });
      }
      turn.complete = !turn.reply.endsWith(errorLine);
      if (!turn.complete) turn.reply = turn.reply.slice(0, -errorLine.length);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  function messagesFor(turn: Turn): Message[] {
    const answered = turns.filter(({ reply }) => reply.trim() !== '');
    return [
      ...answered.flatMap(({ question, reply }): Message[] => [
        { role: 'user', content: question },
        { role: 'assistant', content: reply },
      ]),
      { role: 'user', content: turn.question },
    ];
  }
}

async function readFailure(response: Response): Promise<Failure> {
  const body = await response.text().catch(() => '');
  const named = /^([A-Z_]+): /.exec(body)?.[1] ?? '';
  const code = Object.hasOwn(rules, named) ? named : codesByStatus[response.status];
  return { code, retryAfter: response.status === 429 ? readRetryAfter(response.headers) : undefined };
}

function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('Retry-After') ?? '';
  const isNumber = /^\d+(\.\d+)?$/.test(value);
  if (!isNumber && !httpDate.test(value)) return undefined;
  const sentAt = Date.parse(headers.get('Date') ?? '');
  const seconds = isNumber ? Number(value) : (Date.parse(value) - sentAt) / 1000;
  if (seconds > 25 * 3600) return undefined;
  return Math.max(1, Math.ceil(seconds));
}

function nextWait(failures: readonly Failure[]): number | undefined {
  const { code = '', retryAfter } = failures.at(-1) ?? {};
  const rule = rules[code] ?? once;
  const count = failures.filter((failure) => failure.code === code).length;
  if (failures.length >= 5 || count >= rule.attempts) return undefined;
  const seconds = rule.waits === undefined ? retryAfter : rule.waits[count - 1];
  return seconds !== undefined && seconds <= 60 ? seconds : undefined;
}
