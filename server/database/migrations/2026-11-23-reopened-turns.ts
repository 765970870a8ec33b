import { Migration } from '@mikro-orm/migrations';
import { tenantRole } from '../tenant.ts';
import { pinFunction } from './pin-function.ts';

const questionParameters = `
  organization text,
  person text,
  named_conversation text,
  new_conversation text,
  new_message text,
  request text,
  question text`;

const questionArguments = `
  organization => organization,
  person => person,
  new_conversation => new_conversation,
  new_message => new_message,
  request => request,
  question => question`;

const reservationParameters = `
  reservation text,
  estimated_tokens int,
  person_budget bigint,
  organization_budget bigint`;

/** As the functions are that these two stand before: they work as the tenant role, and wait for no lock for ever. */
const asTheOthers = `language plpgsql set role = '${tenantRole}' set lock_timeout = '10s'`;

const reopenTurn = 'reopen_turn(text, text, text, text, text, text, text)';
const openBudgetedTurn = 'open_budgeted_turn(text, text, text, text, text, text, text, text, int, bigint, bigint)';
const reopenBudgetedTurn = 'reopen_budgeted_turn(text, text, text, text, text, text, text, text, int, bigint, bigint)';

/**
 * Opening a turn a second time with the same ids, where the connection was lost before the first answer came: it may have
 * been committed, it may be under way still, or it may never have arrived. In each case there is one question afterwards.
 */
export class ReopenedTurnsMigration extends Migration {
  override up(): void {
    this.addSql(`create function reopen_turn(${questionParameters})
      returns jsonb ${asTheOthers} as $$
      begin
        perform set_config('advisory_chat.org_id', organization, true);
        for attempt in 1..2 loop
          begin
            return open_turn(${questionArguments},
              -- That of the first call, where it was committed: the question is then its last, and not written again.
              named_conversation => coalesce((
                  select conversation_id from chat_messages where id = new_message and org_id = organization
                ), named_conversation));
          exception when unique_violation then
            -- The first call was under way still, and has been committed meanwhile.
            if attempt = 2 then raise; end if;
          end;
        end loop;
      end $$`);

    this.addSql(`create function reopen_budgeted_turn(${questionParameters}, ${reservationParameters})
      returns jsonb ${asTheOthers} as $$
      begin
        perform set_config('advisory_chat.org_id', organization, true);

        -- In the order of open_budgeted_turn: it takes the same locks, so that the first call is over when they are had.
        if organization_budget is not null then
          perform pg_advisory_xact_lock(521, hashtext(organization));
        end if;
        if person_budget is not null then
          perform pg_advisory_xact_lock(522, hashtext(person));
        end if;

        -- The first call has reserved its tokens: they must not refuse the second.
        if exists (select from token_uses where id = reservation and org_id = organization) then
          return reopen_turn(${questionArguments}, named_conversation => named_conversation);
        end if;
        return open_budgeted_turn(${questionArguments},
          named_conversation => named_conversation,
          reservation => reservation,
          estimated_tokens => estimated_tokens,
          person_budget => person_budget,
          organization_budget => organization_budget);
      end $$`);

    for (const signature of [reopenTurn, reopenBudgetedTurn]) pinFunction(this, signature);
    for (const inner of [reopenTurn, openBudgetedTurn]) {
      this.addSql(`grant execute on function ${inner} to ${tenantRole}`);
    }
  }
}
