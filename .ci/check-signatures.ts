import { spawnSync } from 'node:child_process';
import process from 'node:process';

/**
 * Checks the registry's signature of every installed package. One that is wrong, or is missing where the registry signs,
 * is a failure. Where there is nothing to check against, it says so and succeeds: the lockfile's hashes, which npm ci has
 * checked, are what remains.
 */

type Package = { name: string; version: string };
type Answer = { invalid?: Package[]; missing?: Package[]; error?: { code?: string | null; summary?: string } };

/** The registry's keys cannot be reached, or the registry has none. */
const nothingToCheckAgainst = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|E404)$/;
const signsNothing = /installed from a supported registry/;

const { stdout, stderr } = spawnSync('npm', ['audit', 'signatures', '--json', '--fetch-retries=0'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
});
const { invalid, missing, error } = readAnswer(stdout);

if (invalid !== undefined && missing !== undefined) {
  for (const { name, version } of invalid) fail(`The registry's signature of ${name}@${version} is wrong.`);
  for (const { name, version } of missing) fail(`The registry signs, and has no signature of ${name}@${version}.`);
  if (invalid.length + missing.length === 0) say('The registry has signed every package that is installed.');
} else if (nothingToCheckAgainst.test(error?.code ?? '') || signsNothing.test(error?.summary ?? '')) {
  say(`NOT CHECKED: the registry's signatures. ${error?.summary}`);
  say('What is installed has the hashes of package-lock.json.');
} else {
  fail(`The signatures could not be checked: ${error?.summary ?? stderr}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail(line: string): void {
  process.stderr.write(`${line}\n`);
  process.exitCode = 1;
}

function readAnswer(text: string): Answer {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
