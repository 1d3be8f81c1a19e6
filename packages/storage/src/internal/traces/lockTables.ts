// Locks the tables of traces for a migration, while other nodes write to them. Their statements lock the two tables in
// any order, so each try ends before the database looks for a deadlock, and gives back what it has locked.
import type { SqlClient } from "effect/sql"

export const lockTables = (sql: SqlClient.SqlClient) =>
  sql`
    do $$
    begin
      perform set_config('lock_timeout', '500ms', true);
      loop
        begin
          lock table svc_traces, svc_spans in access exclusive mode;
          exit;
        exception when lock_not_available then
          perform pg_sleep(0.1);
        end;
      end loop;
      perform set_config('lock_timeout', '0', true);
    end $$`
