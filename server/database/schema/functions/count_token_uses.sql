-- Keeps the sums of token_uses, so that the cost of a turn does not depend on the number of turns in a day. Triggers on each
-- kind of statement call it with the changed rows. Every statement locks the sum of the organization before those of its
-- members, to prevent deadlocks.
create or replace function count_token_uses() returns trigger language plpgsql as $$
  begin
    if tg_op = 'INSERT' then
      insert into organization_token_sums as sums (org_id, tokens)
        select org_id, sum(tokens) from new_uses group by org_id order by org_id
        on conflict (org_id) do update set tokens = sums.tokens + excluded.tokens;
      insert into member_token_sums as sums (user_id, org_id, tokens)
        select user_id, org_id, sum(tokens) from new_uses group by user_id, org_id order by user_id
        on conflict (user_id, org_id) do update set tokens = sums.tokens + excluded.tokens;
    elsif not exists (select from old_uses) then
      return null;
    elsif tg_op = 'UPDATE' then
      update organization_token_sums sums set tokens = sums.tokens + added
        from (
          select org_id, sum(tokens) as added
            from (select org_id, tokens from new_uses union all select org_id, - tokens from old_uses) as changes
            group by org_id
        ) as changes
        where sums.org_id = changes.org_id and added <> 0;
      update member_token_sums sums set tokens = sums.tokens + added
        from (
          select user_id, org_id, sum(tokens) as added
            from (
              select user_id, org_id, tokens from new_uses union all select user_id, org_id, - tokens from old_uses
            ) as changes
            group by user_id, org_id
        ) as changes
        where sums.user_id = changes.user_id and sums.org_id = changes.org_id and added <> 0;
    else
      -- The sums may already be deleted, together with their organization or membership.
      update organization_token_sums sums set tokens = sums.tokens - removed
        from (select org_id, sum(tokens) as removed from old_uses group by org_id) as uses
        where sums.org_id = uses.org_id and removed <> 0;
      update member_token_sums sums set tokens = sums.tokens - removed
        from (select user_id, org_id, sum(tokens) as removed from old_uses group by user_id, org_id) as uses
        where sums.user_id = uses.user_id and sums.org_id = uses.org_id and removed <> 0;
    end if;
    return null;
  end $$
