const failure = '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]';

/** Posts `body` to either route; `onText` gets the reply piece by piece. Rejects where the connection breaks. */
export async function ask(url: string, body: object, onText: (text: string) => void) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok || response.body === null) throw new Error(await response.text());

  let reply = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    reply += part.value;
    onText(part.value);
  }
  const failed = reply.endsWith(failure);
  const text = failed ? reply.slice(0, -failure.length) : reply;
  return { text, failed, conversationId: response.headers.get('X-Conversation-Id') };
}
