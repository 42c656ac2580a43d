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
select s.session, case when s.agent <> 'codex' then '' else coalesce(u.root, case when u.lowest < s.session then u.lowest else s.session end) end as family
from sessions s left join (
  select a.session, min(case when p.session is null then a.ancestor end) as root, min(a.ancestor) as lowest
  from ancestors a left join parents p on p.session = a.ancestor group by a.session) u
  on u.session = s.session;
create view usage_held as
with known as (
  select u.*, s.created, s.agent, s.name, coalesce(u.timestamp, s.created) as made, f.family,
    f.family = '' or f.family in (select session from sessions) as whole
  from usage u join (select session as id, created, agent, name from sessions) s on s.id = u.session
    join (select session as id, family from families) f on f.id = u.session),
oldest as (
  select call_key as copy_key, family as root, row_number() over (partition by call_key order by created nulls first, session) as place
  from known where whole and agent = 'codex')
select k.*, case when k.whole then k.family else coalesce(w.root, '?') end as kin
from known k left join oldest w on w.copy_key = k.call_key and w.place = 1;
-- What is charged to which session: of the copies of a call, the one that counted most; of the sessions that have it, one that
-- descends from none of the others, then the last that was begun before the call, then the oldest.
create view usage_once as
with best as (
  select h.*, count(*) over (partition by call_key, kin) - 1 as copies, row_number() over (partition by call_key, kin
    order by input + output + cache_read + cache_write + unsplit desc, made nulls first, model desc nulls last, stop desc nulls last, session, number) as place
  from usage_held h),
inherited as (
  select distinct a.session as heir, o.call_key as copy_key, o.kin as copy_kin from ancestors a join usage_held o on o.session = a.ancestor),
owner as (
  select h.call_key as copy_key, h.kin as copy_kin, h.session as holder, row_number() over (partition by h.call_key, h.kin order by
    case when i.heir is null then 0 else 1 end,
    case when h.created <= b.made then h.created end desc nulls last, h.created nulls first, h.session) as turn
  from usage_held h join best b on b.call_key = h.call_key and b.kin = h.kin and b.place = 1
    left join inherited i on i.heir = h.session and i.copy_key = h.call_key and i.copy_kin = h.kin)
select o.holder as session, b.entry, b.timestamp, b.provider, b.model, b.purpose, b.tier, b.on_path, b.stop, b.input, b.output, b.cache_read, b.cache_write,
  b.cache_write_1h, b.reasoning, b.unsplit, b.cost, b.priced_by, b.prices, b.bad, b.call_key, b.number, b.made, b.copies
from best b join owner o on o.copy_key = b.call_key and o.copy_kin = b.kin
where b.place = 1 and o.turn = 1;
create view calls_once as
with inherited as (
  select distinct a.session as heir, o.call_key as copy_key from ancestors a join calls o on o.session = a.ancestor),
held as (
  select c.*, row_number() over (partition by c.call_key order by
    case when i.heir is null then 0 else 1 end, s.created nulls first, c.session, c.number) as place
  from calls c join (select session as id, created from sessions) s on s.id = c.session
    left join inherited i on i.heir = c.session and i.copy_key = c.call_key)
select session, entry, call_id, result, timestamp, ended, number, kind, tool, target, command, simple, paths, outcome, status, on_path, call_key
from held where place = 1;
