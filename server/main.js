// Starts the service on any version of Node. main.ts can be started directly if Node is new enough and there is no .env
// file.
import './preload.js';

// First, because loading main.ts takes time, in which a container would ignore SIGTERM.
await import('./process/stop-signals.ts');
await import('./main.ts');
