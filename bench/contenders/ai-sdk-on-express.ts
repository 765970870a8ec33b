import process from 'node:process';
import { createAnthropic } from '@ai-sdk/anthropic';
import { streamText } from 'ai';
import express from 'express';

/*
 * The Vercel AI SDK on Express, written as in the SDK's documentation on streaming text.
 */

const anthropic = createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1` });
const app = express();
app.use(express.json());

app.post('/chat', (request, response) => {
  const disconnect = new AbortController();
  response.on('close', () => disconnect.abort());
  const result = streamText({
    model: anthropic('claude-bench'),
    maxOutputTokens: 2048,
    system: process.env.SYSTEM_PROMPT ?? '',
    messages: request.body.messages,
    abortSignal: disconnect.signal,
  });
  result.pipeTextStreamToResponse(response);
});

app.listen(Number(process.env.PORT), '127.0.0.1');
