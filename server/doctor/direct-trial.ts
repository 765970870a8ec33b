import { headers } from '../../shared/interface.ts';
import type { Config } from '../config/config.ts';
import { type DemoTrial, tryDemo } from './demo-trial.ts';

/**
 * The same reply from the process that listens on this machine, past every proxy; undefined where none does, or where it is
 * at PUBLIC_URL itself.
 */
export async function tryDirectly(config: Config, publicUrl: string): Promise<DemoTrial | undefined> {
  const url = directUrl(config);
  if (url === publicUrl) return undefined;
  try {
    const trial = await tryDemo({
      url,
      servername: new URL(publicUrl).hostname,
      headers: config.trustProxy ? { 'X-Forwarded-Proto': 'https' } : {},
    });
    const ours = trial.response.headers.get(headers.requestId) === trial.requestId;
    return ours && trial.response.status === 200 ? trial : undefined;
  } catch {
    return undefined;
  }
}

function directUrl({ host, port, tls }: Config): string {
  const loopback: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
  const name = loopback[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `${tls ? 'https' : 'http'}://${name}:${port}`;
}
