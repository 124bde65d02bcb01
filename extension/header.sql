\echo Use "CREATE EXTENSION pg_coord" to load this file. \quit

SET LOCAL search_path TO pg_catalog, pg_temp;
