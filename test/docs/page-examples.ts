/** A command of a page, and what the page says that it prints: an answer without its headers, or a text as it is. */
export type PageExample = { command: string; kind: 'http' | 'text'; printed: string };

const blocks = /^```(\w+)\n([\s\S]*?)^```$/gm;

/** The examples of a section: each block of `bash` with the block after it. */
export function examplesIn(section: string): PageExample[] {
  const examples: PageExample[] = [];
  let command: string | undefined;
  for (const [, language = '', text = ''] of section.matchAll(blocks)) {
    if (command !== undefined && (language === 'http' || language === 'text')) {
      examples.push({ command, kind: language, printed: text });
    }
    command = language === 'bash' ? text : undefined;
  }
  return examples;
}

/** The last of the answers that `curl -i` printed one after the other; `answer` is status line, empty line, body. */
export function lastAnswer(printed: string): { answer: string; head: string; body: string } {
  const last = printed.split(/(?=HTTP\/1\.1 \d)/).at(-1) ?? '';
  const end = last.indexOf('\r\n\r\n');
  const head = last.slice(0, end);
  const body = last.slice(end + 4);
  return { answer: `${head.split('\r\n')[0]}\n\n${body}`, head, body };
}

/** `text` without how many seconds a client waits: that depends on when its first request came. */
export const withoutWait = (text: string) => text.replace(/in \d+ seconds/, 'in some seconds');
