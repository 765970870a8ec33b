/** `today` is a date, `YYYY-MM-DD` in UTC. */
export function thisTurnLayer(today: string): string {
  return `# L8 This turn

Today is ${today} (UTC). The week of the engagement is the one on its record; do not work it out from the date. Reply to
the last message of the conversation.`;
}
