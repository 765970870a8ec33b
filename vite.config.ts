import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  root: 'client',
  plugins: [react()],
  build: {
    outDir: '../dist/client',
    emptyOutDir: true,
    // The Content-Security-Policy allows files of our own and no data: addresses.
    assetsInlineLimit: 0,
    // A slow machine is no reason to warn.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
});
