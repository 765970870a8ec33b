import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import process from 'node:process';
import { text as readText } from 'node:stream/consumers';

/*
 * The floor: hand-written code that only turns the provider's event stream into plain text. It has no framework, SDK,
 * validation, limits or log. It honors backpressure and aborts the provider's request when the client disconnects.
 */

const provider = new URL('/v1/messages', process.env.ANTHROPIC_BASE_URL);
const agent = new Agent({ keepAlive: true });
const system = process.env.SYSTEM_PROMPT;
const headers = {
  'content-type': 'application/json',
  'anthropic-version': '2023-06-01',
  'x-api-key': process.env.ANTHROPIC_API_KEY,
};

const server = createServer(async (request, response) => {
  if (request.method !== 'POST') return response.writeHead(404).end();
  const { messages } = JSON.parse(await readText(request));
  const upstream = send(provider, { method: 'POST', agent, headers });
  upstream.on('response', (events) => forward(events, response));
  upstream.on('error', () => response.destroy());
  response.on('close', () => upstream.destroy());
  upstream.end(JSON.stringify({ model: 'claude-bench', max_tokens: 2048, stream: true, system, messages }));
});

function forward(events: IncomingMessage, response: ServerResponse): void {
  response.writeHead(events.statusCode ?? 502, { 'content-type': 'text/plain; charset=utf-8' });
  let unread = '';
  events.setEncoding('utf8');
  events.on('data', (chunk: string) => {
    unread += chunk;
    let start = 0;
    for (let end = unread.indexOf('\n\n'); end !== -1; end = unread.indexOf('\n\n', start)) {
      const data = unread.indexOf('data: ', start);
      const event = JSON.parse(unread.slice(data + 6, end));
      start = end + 2;
      if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
      if (!response.write(event.delta.text)) events.pause();
    }
    unread = unread.slice(start);
  });
  response.on('drain', () => events.resume());
  events.on('end', () => response.end());
}

server.listen(Number(process.env.PORT), '127.0.0.1');
