import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import compile from 'icu-minify/compile';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { browserNotice } from './client/language/browser-notice.ts';
import { languages } from './client/language/languages.ts';
import { browserList, browsers } from './shared/browsers.ts';
import { conversationPage, pages } from './shared/interface.ts';

export default defineConfig({
  root: 'client',
  plugins: [
    react(),
    compiledMessages(),
    stylesAfterShell(),
    browserCheck(),
    preloadedPages(),
    diagramPage(),
    installable(),
    compressedCopies(),
  ],
  // Messages are compiled at build time, so that the page needs no parser for them.
  resolve: { alias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    target: Object.entries(browsers).map(([name, version]) => `${name.toLowerCase()}${version}`),
    // The Content-Security-Policy does not allow data: URLs.
    assetsInlineLimit: 0,
    // Browsers without modulepreload load the modules slightly later.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // The warning depends on the speed of the machine.
      checks: { bundlerTimings: false },
      // The initial modules are one file and keep the order of their imports, in which no-eval.ts must be first.
      output: { codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } },
    },
  },
});

/** Compiles the interface's messages from ICU MessageFormat. */
function compiledMessages(): Plugin {
  return {
    name: 'compiled-messages',
    // Runs before TypeScript is stripped, because only the exports of the module matter.
    enforce: 'pre',
    async load(id) {
      const [file = ''] = id.split('?');
      // `en.ts` joins other files.
      if (!/\/language\/messages\/(?!en\.ts$)[\w-]+\.ts$/.test(file)) return null;
      const { mtimeMs } = await stat(file);
      const { messages } = await import(`${pathToFileURL(file)}?${mtimeMs}`);
      return `export const messages = ${JSON.stringify(compiled(messages))};`;
    },
  };
}

function compiled(messages: unknown): unknown {
  if (typeof messages === 'string') return compile(messages);
  return Object.fromEntries(Object.entries(messages ?? {}).map(([key, value]) => [key, compiled(value)]));
}

/** Moves the stylesheet below the shell of index.html, so that browsers paint the shell while the stylesheet loads. */
function stylesAfterShell(): Plugin {
  return {
    name: 'styles-after-shell',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const [link] = html.match(/<link rel="stylesheet"[^>]*>/) ?? [];
        return link === undefined ? html : html.replace(link, '').replace('</body>', `  ${link}\n  </body>`);
      },
    },
  };
}

/**
 * Adds a script to index.html that replaces the shell in a browser without features that the page needs. Old browsers can parse it.
 * Without the element `root`, main.tsx does not start.
 */
function browserCheck(): Plugin {
  const notices = Object.entries(browserNotice).map(([tag, text]) => [
    tag,
    { text: `${text} ${browserList}`, direction: languages[tag as keyof typeof languages].direction },
  ]);
  const script = `(function () {
  if (Promise.withResolvers && self.Intl && Intl.Segmenter) return;
  var notices = ${JSON.stringify(Object.fromEntries(notices))};
  var root = document.getElementById('root');
  var notice = document.createElement('p');
  var tags = navigator.languages || [navigator.language];
  var tag = 'en';
  for (var i = tags.length - 1; i >= 0; i -= 1) if (notices[tags[i].slice(0, 2)]) tag = tags[i].slice(0, 2);
  notice.className = 'shell-notice';
  notice.lang = tag;
  notice.dir = notices[tag].direction;
  notice.textContent = notices[tag].text;
  root.removeAttribute('id');
  document.documentElement.removeAttribute('data-shell');
  root.appendChild(notice);
})();`;
  return {
    name: 'browser-check',
    transformIndexHtml: (_html, { path }) =>
      path.endsWith('/index.html') ? [{ tag: 'script', children: script, injectTo: 'body' }] : [],
  };
}

/** The modules that a page loads lazily, but always. They are the entries of its chunks. */
const lazyModules = {
  [pages.chat]: ['pages/live-chat/chat-page.tsx', 'markdown/markdown.tsx'],
  [pages.signIn]: ['pages/sign-in-page.tsx'],
  [pages.onboarding]: ['pages/onboarding-page.tsx', 'onboarding/onboarding-form.tsx'],
};

/** Preloads the chunks of the opened page, which browsers would otherwise request only once the first script runs. */
function preloadedPages(): Plugin {
  return {
    name: 'preloaded-pages',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        // Without the files of the first load, which index.html has already.
        const files = Object.fromEntries(
          Object.entries(lazyModules).map(([page, modules]) => [
            page,
            chunksOf(bundle, modules).filter((file) => !html.includes(file)),
          ]),
        );
        const script = `for (const file of ${JSON.stringify(files)}[${conversationPage.pattern}.test(location.pathname) ? '${pages.chat}' : location.pathname] ?? [])
  document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href: '/' + file }));`;
        return [{ tag: 'script', children: script, injectTo: 'head' }];
      },
    },
  };
}

function chunksOf(bundle: Rolldown.OutputBundle, modules: readonly string[]): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const files = new Set<string>();
  const add = (chunk: Rolldown.OutputChunk) => {
    if (files.has(chunk.fileName)) return;
    files.add(chunk.fileName);
    for (const imported of chunks) if (chunk.imports.includes(imported.fileName)) add(imported);
  };
  const isEntry = ({ facadeModuleId }: Rolldown.OutputChunk) =>
    modules.some((module) => facadeModuleId?.endsWith(`/client/${module}`));
  for (const entry of chunks.filter(isEntry)) add(entry);
  return [...files];
}

/**
 * Builds the page that draws diagrams as a client of its own. In one build with the client the two would share chunks, and the
 * first load would have parts of it.
 */
function diagramPage(): Plugin {
  let root = '';
  return {
    name: 'diagram-page',
    apply: 'build',
    configResolved(config) {
      root = join(config.root, 'diagram');
    },
    async generateBundle() {
      const built = await build({
        configFile: false,
        root,
        logLevel: 'warn',
        build: {
          write: false,
          assetsDir: 'assets/diagram',
          assetsInlineLimit: 0,
          modulePreload: { polyfill: false },
          // Mermaid itself is larger than the size at which the build warns.
          chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
          rolldownOptions: {
            input: join(root, 'diagram.html'),
            // 1.5 MB for a rarely used layout. Diagrams that use it are shown as code.
            external: /^elkjs/,
            checks: { bundlerTimings: false },
          },
        },
      });
      if (!('output' in built)) throw new Error('The page of diagrams has not been built.');
      for (const file of built.output) {
        this.emitFile({
          type: 'asset',
          fileName: file.fileName,
          source: file.type === 'chunk' ? file.code : file.source,
        });
      }
    },
  };
}

/**
 * Adds a web app manifest, and a service worker that serves the pages offline. Pages are loaded from the network first, files with
 * a hash in their name from the cache. The worker does not handle requests of the API. The worker of a new release waits until no
 * tab needs the files of the old one; its pages are used before that, because they are loaded from the network. Navigations are not
 * preloaded, because the browser would preload those of a sign-in too, and then send them a second time.
 */
function installable() {
  return VitePWA({
    filename: 'service-worker.js',
    injectRegister: false,
    registerType: 'prompt',
    includeManifestIcons: false,
    manifest: {
      name: 'Advisory Chat',
      short_name: 'Advisory Chat',
      description: 'A conversational assistant for organizations in a structured advisory engagement.',
      start_url: '/chat',
      id: '/',
      display: 'standalone',
      theme_color: '#1f5f5b',
      background_color: '#ffffff',
      icons: [
        { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
        { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
        { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
      ],
    },
    workbox: {
      inlineWorkboxRuntime: true,
      sourcemap: false,
      globPatterns: ['index.html', 'assets/*.{js,css,svg}'],
      directoryIndex: null,
      navigateFallback: null,
      cleanupOutdatedCaches: true,
      runtimeCaching: [
        {
          urlPattern: ({ request, url, sameOrigin }) =>
            sameOrigin &&
            request.destination === 'document' &&
            !/^\/(?:api|auth|onboarding)(?:\/|$)/.test(url.pathname),
          handler: 'NetworkOnly',
          options: { precacheFallback: { fallbackURL: '/index.html' } },
        },
      ],
    },
  });
}

/** Leaves a brotli and a gzip copy beside each file of text, where it is smaller: the server compresses nothing itself. */
function compressedCopies(): Plugin {
  const codings = [
    { ending: '.br', compress: promisify(brotliCompress) },
    { ending: '.gz', compress: promisify(gzip) },
  ];
  let directory = '';
  return {
    name: 'compressed-copies',
    apply: 'build',
    enforce: 'post',
    configResolved({ root, build: { outDir } }) {
      directory = resolve(root, outDir);
    },
    // The plugin before this one writes the service worker in the same hook.
    closeBundle: {
      sequential: true,
      async handler(error) {
        if (error) return;
        const paths = await readdir(directory, { recursive: true });
        const files = paths.filter((path) => /\.(?:js|css|html|svg|json)$/.test(path));
        await Promise.all(
          files.flatMap((path) =>
            codings.map(async ({ ending, compress }) => {
              const content = await readFile(join(directory, path));
              const compressed = await compress(content);
              if (compressed.length < content.length) await writeFile(join(directory, path + ending), compressed);
            }),
          ),
        );
      },
    },
  };
}
