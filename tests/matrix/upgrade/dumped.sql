-- Of a dump of the upgraded database. highest: of the tokens there.
\ir outcome.sql
SELECT 'nobody leads', count(*), 0 FROM coord.elections WHERE leader IS NOT NULL;
SELECT 'no token fences anything', pg_temp.fences(:highest), 'PC002';
SELECT 'names of locks are kept', string_agg(key, ' ' ORDER BY key COLLATE "C"), 'a key ключ' FROM coord._lock;
SELECT 'rows are kept', count(*) > 0, true FROM written;
SELECT 'guarded', pg_temp.outcome('INSERT INTO written VALUES (1)') || ' ' || pg_temp.outcome('TRUNCATE parts'), 'PC002 PC002';
SELECT coord.join('restored') \g /dev/null
SELECT 'a new token is greater', is_leader AND token > :highest, true FROM coord.campaign('x');
