import { spawnSync } from 'node:child_process';
import process from 'node:process';

/**
 * Verifies the registry's signature of every installed package. A wrong signature fails, and so does a missing one if the registry
 * signs packages. If signatures cannot be verified, it prints that and succeeds, because npm ci has already verified the hashes of
 * the lockfile.
 */

type Package = { name: string; version: string };
type SignatureAudit = { invalid?: Package[]; missing?: Package[]; error?: { code?: string | null; summary?: string } };

/** npm's error codes if the registry's keys cannot be fetched, or if the registry has none. */
const unavailable = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E404)$/;
const unsigned = /installed from a supported registry/;

const { stdout, stderr } = spawnSync('npm', ['audit', 'signatures', '--json', '--fetch-retries=0'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
});
const { invalid, missing, error } = readAudit(stdout);

if (invalid !== undefined && missing !== undefined) {
  for (const { name, version } of invalid) fail(`Invalid registry signature: ${name}@${version}`);
  for (const { name, version } of missing) fail(`Missing registry signature: ${name}@${version}`);
  if (invalid.length + missing.length === 0) print('All installed packages have valid registry signatures.');
} else if (unavailable.test(error?.code ?? '') || unsigned.test(error?.summary ?? '')) {
  print(`NOT VERIFIED: registry signatures. ${error?.summary}`);
  print('The installed packages match the hashes of package-lock.json.');
} else {
  fail(`Cannot verify registry signatures: ${error?.summary ?? stderr}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

function readAudit(text: string): SignatureAudit {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
