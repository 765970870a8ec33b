-- Replaces the reservation of a turn without an answer by the tokens that it has used. Runs as the tenant role.
create or replace function settle_turn(organization text, reservation text, used_tokens int)
returns void language plpgsql set role = 'advisory_chat_tenant' as $$
  begin
    perform set_config('advisory_chat.org_id', organization, true);
    update token_uses set tokens = used_tokens, settled = true
      where id = reservation and org_id = organization;
  end $$
