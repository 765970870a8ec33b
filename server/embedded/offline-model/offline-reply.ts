import type { Conditioning } from './conditioning.ts';

/** The first sentence of every reply. */
export const standInSentence = 'This is the offline stand-in: no language model is connected.';

const mostListed = 3;
const longestExcerptCharacters = 160;

/**
 * What the stand-in says: that it is one, what the prompt told it, what was asked, and how to connect a real model.
 * `earlierMessages` counts the messages that came before the question.
 */
export function offlineReply(facts: Conditioning, question: string, earlierMessages: number): string {
  const paragraphs = [
    `${standInSentence} It gives no advice; it names what a model would have been told with your message.`,
    ...conditioningParagraphs(facts),
    `You asked: “${excerpt(question)}” ${capitalized(count(earlierMessages, 'earlier message'))} came with it.`,
    'To get real replies, set `ANTHROPIC_API_KEY` and start the service again.',
  ];
  return paragraphs.join('\n\n');
}

/** The reply made about `words` words long with numbered paragraphs, so that a reader can see that none is missing. */
export function lengthened(reply: string, words: number): string {
  const filler = (number: number) =>
    `Paragraph ${number} of this reply has twenty words, carries no meaning, and stands here only so that it becomes long.`;
  return [reply, ...Array.from({ length: Math.ceil(words / 20) }, (_, index) => filler(index + 1))].join('\n\n');
}

function conditioningParagraphs({ organization, user, engagement }: Conditioning): string[] {
  const who = organization === undefined ? 'no organization' : `**${excerpt(organization.name)}**`;
  const you = user === undefined ? '' : `, with you as ${excerpt(user.name ?? 'someone without a name')}`;
  const role = user?.role == null ? '' : ` (${excerpt(user.role)})`;
  if (engagement === undefined) return [`The prompt is about ${who}${you}${role}. It holds no engagement state.`];

  const { week, focus, hypotheses, unknowns, findings } = engagement;
  const aim = focus === undefined ? '' : ` The focus: ${excerpt(focus)}`;
  return [
    `The prompt is about ${who}${you}${role}, in week ${week} of the engagement.${aim}`,
    list(
      count(hypotheses.length, 'hypothesis', 'hypotheses'),
      hypotheses.map(({ statement, status }) => `${excerpt(statement)} (${status})`),
    ),
    list(
      count(unknowns.length, 'unknown'),
      unknowns.map(({ question }) => excerpt(question)),
    ),
    list(
      count(findings.length, 'finding'),
      findings.map((finding) => `week ${finding.week}: ${excerpt(finding.statement)}`),
    ),
  ];
}

function list(heading: string, items: readonly string[]): string {
  if (items.length === 0) return `${capitalized(heading)}.`;
  const more = items.length - mostListed;
  const lines = [...items.slice(0, mostListed), ...(more > 0 ? [`… and ${more} more`] : [])];
  return [`${capitalized(heading)}:`, ...lines.map((line) => `- ${line}`)].join('\n');
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? one : many}`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `text` on one line, cut between characters where it is long. */
function excerpt(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim());
  if (characters.length <= longestExcerptCharacters) return characters.join('');
  return `${characters.slice(0, longestExcerptCharacters).join('').trimEnd()}…`;
}
