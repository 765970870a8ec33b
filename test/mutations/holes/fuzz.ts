import type { Hole } from '../hole.ts';

export const fuzz: readonly Hole[] = [
  {
    name: 'Bytes that are no HTTP are answered in the middle of a reply',
    file: 'server/http/http-server.ts',
    find: 'if (midResponse) return void socket.destroy();',
    replace: '',
    test: {
      file: 'test/server/http/http-server.test.ts',
      title: 'the HTTP server cuts a connection that turns to garbage in mid-reply, and writes nothing into the reply',
    },
  },
  {
    name: 'Answers that wait behind another are never over once a CONNECT has come',
    file: 'server/http/http-server.ts',
    find: 'closeWithConnection(request, response);',
    replace: '',
    test: {
      file: 'test/server/http/http-server.test.ts',
      title:
        'the HTTP server ends every answer of a connection with it, also those that wait behind another when CONNECT comes',
    },
  },
  {
    name: 'A pipelined request with Expect has "100 Continue" in the body of its answer',
    file: 'server/http/http-server.ts',
    find: 'if (response.socket !== null) response.writeContinue();',
    replace: 'response.writeContinue();',
    test: {
      file: 'test/server/http/http-server.test.ts',
      title: 'the HTTP server asks for a body with 100 Continue, and never in the middle of an answer',
    },
  },
  {
    name: 'The way back from a sign-in may lead to another site',
    file: 'server/auth/return-path.ts',
    find: String.raw`if (typeof asked !== 'string' || !/^\/(?![/\\])\P{Cc}*$/u.test(asked)) return pages.chat;
  return URL.parse(asked, publicUrl)?.origin === new URL(publicUrl).origin ? asked : pages.chat;`,
    replace: "return typeof asked === 'string' ? asked : pages.chat;",
    test: { file: 'test/server/auth/return-path.test.ts', title: 'returnPath never leads off the site' },
  },
];
