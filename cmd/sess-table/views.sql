-- Who descends from whom. The parent of a session is named by its id, or by the name of its file.
create view parents as
select s.session, coalesce(p.session, s.parent) as parent
from sessions s left join (select agent, name, max(session) as session from sessions group by agent, name) p
  on p.agent = s.agent and p.name = s.parent_name
where s.parent is not null and coalesce(p.session, s.parent) <> s.session;
create view ancestors as
with recursive up(session, ancestor) as (
  select session, parent from parents
  union select u.session, p.parent from up u join parents p on p.session = u.ancestor)
select session, ancestor from up where session <> ancestor;
-- Calls of codex are the same in one family alone. A session whose first ancestor is not there may be of any.
create view families as
select s.session, case when s.agent <> 'codex' then '' else coalesce(
  (select min(a.ancestor) from ancestors a where a.session = s.session and a.ancestor not in (select session from parents)),
  (select min(case when a.ancestor < s.session then a.ancestor else s.session end) from ancestors a where a.session = s.session),
  s.session) end as family
from sessions s;
create view usage_held as
with known as (
  select u.*, s.created, s.agent, s.name, coalesce(u.timestamp, s.created) as made, f.family,
    f.family = '' or f.family in (select session from sessions) as whole
  from usage u join sessions s on s.session = u.session join families f on f.session = u.session)
select k.*, case when whole then family else coalesce((select w.family from known w where w.call_key = k.call_key and w.whole and w.agent = 'codex'
  order by w.created nulls first, w.session limit 1), '?') end as kin
from known k;
-- What is charged to which session: of the copies of a call, the one that counted most; of the sessions that have it, one that
-- descends from none of the others, then the last that was begun before the call, then the oldest.
create view usage_once as
with best as (
  select h.*, count(*) over (partition by call_key, kin) - 1 as copies, row_number() over (partition by call_key, kin
    order by input + output + cache_read + cache_write + unsplit desc, made nulls first, model desc nulls last, stop desc nulls last, session, number) as place
  from usage_held h),
owner as (
  select h.call_key, h.kin, h.session, row_number() over (partition by h.call_key, h.kin order by
    exists (select 1 from ancestors a join usage_held o on o.session = a.ancestor and o.call_key = h.call_key and o.kin = h.kin where a.session = h.session),
    case when h.created <= b.made then h.created end desc nulls last, h.created nulls first, h.session) as place
  from usage_held h join best b on b.call_key = h.call_key and b.kin = h.kin and b.place = 1)
select o.session, b.entry, b.timestamp, b.provider, b.model, b.purpose, b.tier, b.on_path, b.stop, b.input, b.output, b.cache_read, b.cache_write,
  b.cache_write_1h, b.reasoning, b.unsplit, b.cost, b.priced_by, b.prices, b.bad, b.call_key, b.number, b.made, b.copies
from best b join owner o on o.call_key = b.call_key and o.kin = b.kin and o.place = 1
where b.place = 1;
create view calls_once as
with held as (
  select c.*, row_number() over (partition by call_key order by
    exists (select 1 from ancestors a join calls o on o.session = a.ancestor and o.call_key = c.call_key where a.session = c.session),
    s.created nulls first, c.session, c.number) as place
  from calls c join sessions s on s.session = c.session)
select session, entry, call_id, result, timestamp, ended, number, kind, tool, target, command, simple, paths, outcome, status, on_path, call_key
from held where place = 1;
