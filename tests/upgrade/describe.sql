-- Prints all that extension pg_coord consists of, one line for each thing, so that two databases can be compared.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog;

CREATE TEMP VIEW members AS
  SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refobjid = e.oid
  WHERE d.refclassid = 'pg_extension'::regclass AND e.extname = 'pg_coord' AND d.deptype = 'e';
CREATE TEMP VIEW relations AS
  SELECT c.* FROM pg_class c JOIN members m ON m.classid = 'pg_class'::regclass AND m.objid = c.oid;

CREATE FUNCTION pg_temp.rights(acl aclitem[]) RETURNS text LANGUAGE sql
RETURN COALESCE((SELECT string_agg(item::text, ' ' ORDER BY item::text) FROM unnest(acl) AS item), 'default');
CREATE FUNCTION pg_temp.initial_rights(class oid, object oid, sub int) RETURNS text LANGUAGE sql
RETURN (SELECT pg_temp.rights(initprivs) FROM pg_init_privs i WHERE i.classoid = class AND i.objoid = object AND i.objsubid = sub);

CREATE TEMP TABLE described (line text);

INSERT INTO described
SELECT concat_ws(' | ', 'object', pg_describe_object(classid, objid, 0), obj_description(objid, classid::regclass::name),
                 pg_temp.initial_rights(classid, objid, 0))
FROM members;

INSERT INTO described
SELECT concat_ws(' | ', 'extension', n.nspname, extversion, extrelocatable,
  (SELECT string_agg(c::regclass || ' ' || w, ', ' ORDER BY c::regclass::text) FROM unnest(extconfig, extcondition) AS x (c, w)))
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE extname = 'pg_coord';

INSERT INTO described
SELECT concat_ws(' | ', 'routine', p.oid::regprocedure, pg_get_functiondef(p.oid), proowner::regrole, pg_temp.rights(proacl))
FROM pg_proc p JOIN members m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid;

INSERT INTO described
SELECT concat_ws(' | ', 'type', t.oid::regtype, typtype, typowner::regrole, pg_temp.rights(typacl))
FROM pg_type t JOIN members m ON m.classid = 'pg_type'::regclass AND m.objid = t.oid;

INSERT INTO described
SELECT concat_ws(' | ', 'relation', oid::regclass, relkind, relpersistence, relreplident, relrowsecurity, relowner::regrole,
  array_to_string(reloptions, ' '), pg_temp.rights(relacl), CASE WHEN relkind = 'v' THEN pg_get_viewdef(oid) END)
FROM relations;

-- With its number: some tables are read by it. Some servers keep a number of their own (pg_attver) among the options.
INSERT INTO described
SELECT concat_ws(' | ', 'column', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod),
  attcollation::regcollation, 'not null', attnotnull, 'identity', attidentity, 'generated', attgenerated, 'storage', attstorage, 'statistics', NULLIF(attstattarget, -1), 
  (SELECT string_agg(option, ' ') FROM unnest(attoptions) AS option WHERE option NOT LIKE 'pg\_attver=%'),
  pg_get_expr(d.adbin, d.adrelid), col_description(attrelid, attnum), pg_temp.rights(attacl),
  pg_temp.initial_rights('pg_class'::regclass, attrelid, attnum))
FROM pg_attribute a JOIN relations r ON r.oid = attrelid LEFT JOIN pg_attrdef d ON d.adrelid = attrelid AND d.adnum = attnum
WHERE attnum > 0 AND NOT attisdropped;

INSERT INTO described
SELECT concat_ws(' | ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(c.oid), convalidated,
  obj_description(c.oid, 'pg_constraint'))
FROM pg_constraint c JOIN relations r ON r.oid = conrelid;

INSERT INTO described
SELECT concat_ws(' | ', 'index', pg_get_indexdef(indexrelid), indisvalid, indisreplident, indisclustered,
  obj_description(indexrelid, 'pg_class'))
FROM pg_index JOIN relations r ON r.oid = indrelid;

INSERT INTO described
SELECT concat_ws(' | ', 'trigger', pg_get_triggerdef(t.oid), tgenabled, obj_description(t.oid, 'pg_trigger'))
FROM pg_trigger t JOIN relations r ON r.oid = tgrelid WHERE NOT tgisinternal;

INSERT INTO described
SELECT concat_ws(' | ', 'rule', pg_get_ruledef(w.oid), ev_enabled)
FROM pg_rewrite w JOIN relations r ON r.oid = ev_class WHERE relkind <> 'v';

INSERT INTO described
SELECT concat_ws(' | ', 'sequence', seqrelid::regclass, format_type(seqtypid, NULL), seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle)
FROM pg_sequence JOIN relations r ON r.oid = seqrelid;

INSERT INTO described
SELECT concat_ws(' | ', 'schema', nspname, nspowner::regrole, pg_temp.rights(nspacl)) FROM pg_namespace WHERE nspname = 'coord';

-- What is in the schema without being the extension's own.
INSERT INTO described
SELECT concat_ws(' | ', 'stray', pg_describe_object(d.classid, d.objid, 0)) FROM pg_depend d
WHERE d.refclassid = 'pg_namespace'::regclass AND d.refobjid = 'coord'::regnamespace AND d.deptype = 'n'
  AND d.classid <> 'pg_extension'::regclass AND (d.classid, d.objid) NOT IN (SELECT classid, objid FROM members);

INSERT INTO described
SELECT concat_ws(' | ', 'rows', oid::regclass, query_to_xml('SELECT count(*) FROM ' || oid::regclass, true, true, '')::text)
FROM relations WHERE relkind IN ('r', 'p');

SELECT regexp_replace(line, '\s+', ' ', 'g') FROM described ORDER BY 1;
