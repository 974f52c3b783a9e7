/** Gives the tables of one schema the owners and privileges that those of another have. */

import type { Connection } from "./session.ts";

const TO_GRANTEE = `CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END
  || CASE WHEN is_grantable THEN ' WITH GRANT OPTION' ELSE '' END`;

const TABLES = `pg_class AS old JOIN pg_namespace AS source ON source.oid = old.relnamespace
  JOIN pg_namespace AS target ON target.nspname = $2
  JOIN pg_class AS new ON new.relnamespace = target.oid AND new.relname = old.relname`;
const IS_TABLE = "source.nspname = $1 AND old.relkind IN ('r', 'p')";

/** Each gives statements. Owners come last: after that, only they may grant. */
const STATEMENTS = [
  `SELECT format('GRANT %s ON SCHEMA %I TO %s', privilege_type, $2::text, ${TO_GRANTEE}) AS statement
   FROM pg_namespace, aclexplode(nspacl) WHERE nspname = $1 AND grantee <> nspowner`,
  `SELECT format('GRANT %s ON %I.%I TO %s', privilege_type, $2::text, old.relname, ${TO_GRANTEE}) AS statement
   FROM ${TABLES}, aclexplode(old.relacl) WHERE ${IS_TABLE} AND grantee <> old.relowner`,
  `SELECT format('ALTER DEFAULT PRIVILEGES FOR ROLE %s IN SCHEMA %I GRANT %s ON TABLES TO %s',
     defaclrole::regrole, $2::text, privilege_type, ${TO_GRANTEE}) AS statement
   FROM pg_default_acl JOIN pg_namespace ON pg_namespace.oid = defaclnamespace, aclexplode(defaclacl)
   WHERE nspname = $1 AND defaclobjtype = 'r'`,
  `SELECT format('ALTER SCHEMA %I OWNER TO %s', target.nspname, source.nspowner::regrole) AS statement
   FROM pg_namespace AS source, pg_namespace AS target
   WHERE source.nspname = $1 AND target.nspname = $2 AND source.nspowner <> target.nspowner`,
  `SELECT format('ALTER TABLE %I.%I OWNER TO %s', $2::text, old.relname, old.relowner::regrole) AS statement
   FROM ${TABLES} WHERE ${IS_TABLE} AND old.relowner <> new.relowner`,
];

export async function copyPrivileges(
  connection: Connection,
  from: string,
  to: string,
): Promise<void> {
  for (const sql of STATEMENTS) {
    for (const { statement } of await connection.rows<{ statement: string }>(sql, [from, to])) {
      await connection.run(statement);
    }
  }
}
