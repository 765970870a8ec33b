import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: 'client',
  plugins: [react(), compressedCopies()],
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // The Content-Security-Policy allows files of our own and no data: addresses.
    assetsInlineLimit: 0,
    // A slow machine is no reason to warn.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});

/** Leaves a brotli and a gzip copy beside each file of text, where it is smaller: the server compresses nothing itself. */
function compressedCopies(): Plugin {
  const codings = [
    { ending: '.br', compress: promisify(brotliCompress) },
    { ending: '.gz', compress: promisify(gzip) },
  ];
  return {
    name: 'compressed-copies',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((name) => /\.(?:js|css|html|svg|json)$/.test(name));
      await Promise.all(
        files.flatMap((name) =>
          codings.map(async ({ ending, compress }) => {
            const content = await readFile(join(dir, name));
            const compressed = await compress(content);
            if (compressed.length < content.length) await writeFile(join(dir, name + ending), compressed);
          }),
        ),
      );
    },
  };
}
