import { parse } from 'yaml';
import { readText } from '../support/document.ts';

type Service = {
  image: string;
  ulimits: { nofile?: number; core?: number };
  healthcheck?: { test?: string[] };
  volumes?: string[];
  networks: string[];
  ports?: string[];
  depends_on?: Record<string, { condition: string }>;
  read_only: boolean;
  cap_drop: string[];
  stop_grace_period?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  mem_limit: string;
  tmpfs: string[];
};
type Compose = {
  services: Record<'proxy' | 'app' | 'migrate' | 'operator' | 'database' | 'redis', Service>;
  networks: Record<string, { internal?: boolean } | null>;
};

/** The parsed docker-compose.yml, without interpolation of variables. */
export const compose: Compose = parse(readText('docker-compose.yml'), { merge: true });

/** The maximum duration of a stop after SHUTDOWN_GRACE_MS. See Stopping in the operations guide. */
export const stoppingSeconds = 20;
