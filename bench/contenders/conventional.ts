import process from 'node:process';
import Anthropic from '@anthropic-ai/sdk';
import connectPgSimple from 'connect-pg-simple';
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from 'express';
import session from 'express-session';
import helmet from 'helmet';
import { Redis } from 'ioredis';
import passport from 'passport';
import { Pool } from 'pg';
import { pinoHttp } from 'pino-http';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { z } from 'zod';
import type { ConventionalUser } from './conventional-database.ts';

/*
 * The task of live chat, written with the packages that most Express applications use, mostly with their default
 * settings. It has a fixed window, and no tenant isolation, budgets or handling of outages.
 */

const { DATABASE_URL, REDIS_URL = '', SESSION_SECRET = '', SYSTEM_PROMPT = '' } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL });
const limiter = new RateLimiterRedis({
  storeClient: new Redis(REDIS_URL),
  keyPrefix: 'conventional',
  points: 60,
  duration: 60,
});
const client = new Anthropic();
const SessionStore = connectPgSimple(session);

passport.deserializeUser(async (id: string, done) => {
  try {
    const { rows } = await pool.query<ConventionalUser>(
      'select id, name, role, organization from users where id = $1',
      [id],
    );
    done(null, rows[0] ?? false);
  } catch (error) {
    done(error);
  }
});

const messageSchema = z.object({ role: z.enum(['user', 'assistant']), content: z.string().min(1) });
const bodySchema = z.object({
  messages: z
    .array(messageSchema)
    .min(1)
    .refine((messages) => messages.at(-1)?.role === 'user'),
  conversationId: z.uuid().optional(),
});

/** For use after `requireUser`. */
const userOf = (request: Request) => request.user as ConventionalUser;

const requireUser: RequestHandler = (request, response, next) => {
  if (request.isAuthenticated()) next();
  else response.status(401).json({ error: 'Sign in first.' });
};

const limitRate: RequestHandler = async (request, response, next) => {
  try {
    await limiter.consume(userOf(request).id);
    next();
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    response.set('Retry-After', String(Math.ceil(refusal.msBeforeNext / 1000)));
    response.status(429).json({ error: 'Too many requests.' });
  }
};

async function readEngagement(userId: string): Promise<unknown> {
  const { rows } = await pool.query('select state from engagement_states where user_id = $1', [userId]);
  return rows[0]?.state ?? null;
}

/** Returns undefined if the user has no such conversation. */
async function openConversation(userId: string, id?: string): Promise<string | undefined> {
  const { rows } =
    id === undefined
      ? await pool.query('insert into conversations (user_id) values ($1) returning id', [userId])
      : await pool.query('select id from conversations where id = $1 and user_id = $2', [id, userId]);
  return rows[0]?.id;
}

async function storeMessage(conversationId: string, role: 'user' | 'assistant', content: string): Promise<void> {
  await pool.query('insert into messages (conversation_id, role, content) values ($1, $2, $3)', [
    conversationId,
    role,
    content,
  ]);
}

const app = express();
app.set('trust proxy', 1);
app.use(helmet());
app.use(pinoHttp({ redact: ['req.headers.cookie'] }));
app.use(
  session({
    store: new SessionStore({ pool }),
    secret: SESSION_SECRET,
    resave: false,
    saveUninitialized: false,
    cookie: { secure: true, sameSite: 'lax', maxAge: 30 * 24 * 60 * 60 * 1000 },
  }),
);
app.use(passport.session());

app.post('/chat', requireUser, limitRate, express.json(), async (request, response) => {
  const user = userOf(request);
  const body = bodySchema.safeParse(request.body);
  if (!body.success) return void response.status(400).json({ error: 'Invalid request.' });
  const { messages } = body.data;
  const [engagement, conversationId] = await Promise.all([
    readEngagement(user.id),
    openConversation(user.id, body.data.conversationId),
  ]);
  if (conversationId === undefined) return void response.status(404).json({ error: 'No such conversation.' });
  await storeMessage(conversationId, 'user', messages.at(-1)?.content ?? '');

  const disconnect = new AbortController();
  response.on('close', () => disconnect.abort());
  const stream = await client.messages.create(
    {
      model: 'claude-bench',
      max_tokens: 4096,
      system: [
        { type: 'text', text: SYSTEM_PROMPT, cache_control: { type: 'ephemeral' } },
        { type: 'text', text: JSON.stringify({ user, engagement }), cache_control: { type: 'ephemeral' } },
      ],
      messages,
      stream: true,
    },
    { signal: disconnect.signal },
  );
  response.set('X-Conversation-Id', conversationId);
  response.type('text/plain');
  let answer = '';
  for await (const event of stream) {
    if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') continue;
    answer += event.delta.text;
    response.write(event.delta.text);
  }
  await storeMessage(conversationId, 'assistant', answer);
  response.end();
});

const reportError: ErrorRequestHandler = (error, request, response, _next) => {
  request.log.error(error);
  if (response.headersSent) response.destroy();
  else response.status(500).json({ error: 'Something went wrong.' });
};
app.use(reportError);

app.listen(Number(process.env.PORT), '127.0.0.1');
