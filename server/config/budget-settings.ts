import { type Config, ConfigError } from './config.ts';
import { environmentSchema } from './environment.ts';

const budgetSchema = environmentSchema.pick({ TOKENS_PER_DAY_USER: true, TOKENS_PER_DAY_ORGANIZATION: true });

/**
 * Reads the budgets that are kept in the database, for the operator's commands.
 * @throws ConfigError as `loadConfig` does
 */
export function loadBudgetSettings(
  environment: Record<string, string | undefined>,
): Pick<Config['tokensPerDay'], 'user' | 'organization'> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const { data, error } = budgetSchema.safeParse(given);
  if (error !== undefined) {
    throw new ConfigError(error.issues.map(({ path, message }) => `${path.join('.')} ${message}.`));
  }
  return { user: data.TOKENS_PER_DAY_USER, organization: data.TOKENS_PER_DAY_ORGANIZATION };
}
