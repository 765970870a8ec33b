import { conversations } from './list/conversations.ts';
import { demoChat } from './list/demo-chat.ts';
import { errors } from './list/errors.ts';
import { everyResponseBounds } from './list/every-response-bounds.ts';
import { everyResponseIds } from './list/every-response-ids.ts';
import { limits } from './list/limits.ts';
import { theStream } from './list/the-stream.ts';
import { whatIsAsked } from './list/what-is-asked.ts';
import { whatIsStored } from './list/what-is-stored.ts';
import { whoMay } from './list/who-may.ts';
import type { Mutation } from './mutation.ts';

/** A chapter of the specification's statements: its rows, first and last, and the faults that some of them notice. */
export type Chapter = { title: string; first: number; last: number; mutations: readonly Mutation[] };

export const chapters: readonly Chapter[] = [
  { title: 'Every response', first: 1, last: 30, mutations: [...everyResponseIds, ...everyResponseBounds] },
  { title: 'Live chat, who may', first: 31, last: 44, mutations: whoMay },
  { title: 'Live chat, what is asked', first: 45, last: 54, mutations: whatIsAsked },
  { title: 'Live chat, the stream', first: 55, last: 74, mutations: theStream },
  { title: 'Live chat, conversations', first: 75, last: 83, mutations: conversations },
  { title: 'Live chat, what is stored', first: 84, last: 92, mutations: whatIsStored },
  { title: 'Demo chat', first: 93, last: 109, mutations: demoChat },
  { title: 'Errors and the client', first: 110, last: 120, mutations: errors },
  { title: 'Limits', first: 121, last: 133, mutations: limits },
];

export const mutations: readonly Mutation[] = chapters.flatMap((chapter) => chapter.mutations);
