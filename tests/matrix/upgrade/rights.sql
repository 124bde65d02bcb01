-- Roles have the rights that they were granted before.
\c - observing
\ir outcome.sql
SELECT 'an observer reads', pg_temp.outcome('SELECT FROM coord.peers, coord.elections, coord.locks'), 'done';
SELECT 'and does nothing', pg_temp.outcome('SELECT coord.join(''observing'')'), '42501';
\c - taking_part
\ir outcome.sql
SELECT 'a member joins', coord.join('taking part') > 0, true;
SELECT 'and leads', is_leader, true FROM coord.campaign('z');
SELECT 'but deposes nobody', pg_temp.outcome('SELECT coord.depose(''z'')'), '42501';
SELECT 'and reads no table', pg_temp.outcome('SELECT FROM coord._election'), '42501';
\c - stranger
\ir outcome.sql
SELECT 'a stranger reads nothing', pg_temp.outcome('SELECT FROM coord.peers'), '42501';
\c - governing
SELECT coord.join('governing') \g /dev/null
SELECT 'an administrator leads', is_leader, true FROM coord.campaign('governed');
SELECT 'and deposes', coord.depose('governed'), true;
