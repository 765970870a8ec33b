// The entry point. preload.js refuses a Node that is too old for main.ts, and loads .env.
import './preload.js';

// As process 1 of a container, Node would otherwise ignore SIGTERM while main.ts loads.
await import('./process/stop-signals.ts');
await import('./main.ts');
