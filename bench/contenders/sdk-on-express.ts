import process from 'node:process';
import Anthropic from '@anthropic-ai/sdk';
import express from 'express';

/*
 * The official SDK on Express, written as in the SDK's documentation on streaming.
 */

const client = new Anthropic();
const app = express();
app.use(express.json());

app.post('/chat', async (request, response) => {
  const stream = await client.messages.create({
    model: 'claude-bench',
    max_tokens: 2048,
    system: process.env.SYSTEM_PROMPT ?? '',
    messages: request.body.messages,
    stream: true,
  });
  response.on('close', () => stream.controller.abort());
  response.type('text/plain');
  for await (const event of stream) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') response.write(event.delta.text);
  }
  response.end();
});

app.listen(Number(process.env.PORT), '127.0.0.1');
