import process from 'node:process';
import { createAnthropic } from '@ai-sdk/anthropic';
import { streamText } from 'ai';
import express from 'express';

/*
 * The Vercel AI SDK on Express, as its own documentation shows how to stream text.
 */

const anthropic = createAnthropic({ baseURL: `${process.env.ANTHROPIC_BASE_URL}/v1` });
const app = express();
app.use(express.json());

app.post('/chat', (request, response) => {
  const left = new AbortController();
  response.on('close', () => left.abort());
  const result = streamText({
    model: anthropic('claude-bench'),
    maxOutputTokens: 2048,
    system: process.env.SYSTEM_PROMPT ?? '',
    messages: request.body.messages,
    abortSignal: left.signal,
  });
  result.pipeTextStreamToResponse(response);
});

app.listen(Number(process.env.PORT), '127.0.0.1');
