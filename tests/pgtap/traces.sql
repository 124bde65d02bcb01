-- Field case 116: installing leaves nothing outside of its database, whoever installs it in how many, in whatever order they go.
SELECT plan(12);
\ir support/sessions.sql
CREATE ROLE pgtap_coord_owner SUPERUSER;
CREATE DATABASE pgtap_traces_one;
CREATE DATABASE pgtap_traces_two;
CREATE VIEW shared AS SELECT concat_ws(' ', (SELECT count(*) FROM pg_authid), (SELECT count(*) FROM pg_auth_members), (SELECT count(*) FROM pg_tablespace),
  (SELECT count(*) FROM pg_db_role_setting), (SELECT count(*) FROM pg_database), (SELECT count(*) FROM pg_parameter_acl), (SELECT count(*) FROM pg_replication_origin),
  (SELECT count(*) FROM pg_subscription), (SELECT count(*) FROM pg_shseclabel), (SELECT count(*) FROM pg_shdescription)) AS counts;
CREATE FUNCTION lives(session text) RETURNS text LANGUAGE sql AS $$
  SELECT other.run(session, 'SELECT coord.join(''a'') > 0') || other.campaign(session, 'e') || other.run(session, 'SELECT coord.try_lock(''k'')') || other.run(session, 'SELECT coord.leave()')
$$;
SELECT counts FROM shared \gset
SELECT other.open(name, 'pgtap_traces_' || name) FROM unnest('{one,two}'::text[]) name;

SELECT is(other.run(name, 'CREATE EXTENSION pg_coord'), 'CREATE EXTENSION', 'installed in database ' || name) FROM unnest('{one,two}'::text[]) name;
SELECT is(lives('one') || lives('two'), 'tatttatt', 'used in both');
SELECT is(counts, :'counts', 'nothing of the cluster has changed') FROM shared;
SELECT is(other.run('one', 'DROP EXTENSION pg_coord') || lives('two'), 'DROP EXTENSIONtatt', 'dropped in one, the other lives');
SELECT is(other.run('two', 'DROP EXTENSION pg_coord'), 'DROP EXTENSION', 'dropped in both');
SELECT is(counts, :'counts', 'nothing remains') FROM shared;

-- Again, as somebody else, who then goes
SELECT is(other.run(name, 'SET SESSION AUTHORIZATION pgtap_coord_owner') || other.run(name, 'CREATE EXTENSION pg_coord') || lives(name), 'SETCREATE EXTENSIONtatt', 'again, by another owner, in ' || name)
FROM unnest('{two,one}'::text[]) name;
SELECT is(counts, :'counts', 'nothing of the cluster has changed') FROM shared;
SELECT is(other.run('one', 'DROP EXTENSION pg_coord') || other.run('two', 'DROP EXTENSION pg_coord'), 'DROP EXTENSIONDROP EXTENSION', 'dropped again');
SELECT is(counts, :'counts', 'nothing remains') FROM shared;

SELECT * FROM finish();
SELECT dblink_disconnect(name) FROM unnest('{one,two}'::text[]) name;
SELECT other.wait_for('NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname ~ ''pgtap_traces_'')');
DROP DATABASE pgtap_traces_one;
DROP DATABASE pgtap_traces_two;
DROP ROLE pgtap_coord_owner;
