// The entry point. preload.js refuses a Node that is too old for main.ts, and loads .env.
import './preload.js';

// Precedes main.ts, which takes time to load. A container would ignore SIGTERM in that time.
await import('./process/stop-signals.ts');
await import('./main.ts');
