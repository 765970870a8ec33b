// Starts the service on any version of Node. main.ts can be started directly if Node is new enough and there is no .env
// file.
import './preload.js';

await import('./main.ts');
