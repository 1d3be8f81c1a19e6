// The files of an embedded database that has all migrations, and a function that empties it. Making them takes seconds,
// so the processes of one user share them: the first one writes them into a file of the directory for temporary files.
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Pglite from "@svc-runtime/postgres/Pglite"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { deserialize, serialize } from "node:v8"

/**
 * `svc_testkit.empty()` brings back the rows that the migrations have stored, and the settings of the connection. It
 * returns what statements other than those on rows have changed: a database with another text than at first is not used
 * again. Tables that have no pages never had a row.
 */
const emptying = [
  "create schema svc_testkit",
  `do $$
  declare name text; has_rows boolean;
  begin
    for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
      execute format('select exists (select from public.%I)', name) into has_rows;
      if has_rows then execute format('create table svc_testkit.%I as select * from public.%I', name, name); end if;
    end loop;
  end $$`,
  `create function svc_testkit.empty() returns text language plpgsql as $$
  declare name text; first_user_oid constant oid := 16384;
  begin
    reset all;
    -- without the checks of foreign keys the order of the tables does not matter
    set local session_replication_role = replica;
    for name in
      select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_relation_size(oid) > 0
    loop
      execute format('delete from public.%I', name);
      if to_regclass(format('svc_testkit.%I', name)) is not null then
        execute format('insert into public.%I select * from svc_testkit.%I', name, name);
      end if;
    end loop;
    perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    from pg_sequences where schemaname = 'public' and last_value is not null;
    return concat_ws(' ',
      (select concat(count(*), '/', max(xmin::text::bigint), '/', sum(reltuples))
        from pg_class where oid >= first_user_oid),
      (select concat(count(*), '/', max(xmin::text::bigint)) from pg_attribute where attrelid >= first_user_oid),
      (select concat(count(*), '/', max(xmin::text::bigint)) from pg_constraint where oid >= first_user_oid),
      (select concat(count(*), '/', max(xmin::text::bigint)) from pg_trigger where oid >= first_user_oid),
      (select concat(count(*), '/', max(xmin::text::bigint)) from pg_proc where oid >= first_user_oid),
      (select count(*) from pg_statistic where starelid >= first_user_oid));
  end $$`
]

const prepare = Effect.orDie(Pglite.prepare(Effect.gen(function*() {
  yield* SqlStores.migrate
  const sql = yield* SqlClient.SqlClient
  for (const statement of emptying) yield* sql.unsafe(statement)
})))

/** Other migrations have another file. */
const fileName = () => {
  const sets = SqlStores.setsOf(SqlStores.features).map((
    { migrations, name }
  ) => [name, migrations.map(([one]) => one)])
  return `database-${createHash("sha256").update(JSON.stringify([sets, emptying])).digest("hex").slice(0, 16)}`
}

/** Undefined: another user has made it, so what is in it cannot be trusted. */
const ownDirectory = (): string | undefined => {
  const user = process.getuid?.()
  const directory = join(tmpdir(), `svc-testkit-${user ?? "user"}`)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return statSync(directory).uid === (user ?? statSync(directory).uid) ? directory : undefined
}

/** Whether this process is the one that makes the file. */
const isFirst = (lock: string): boolean => {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx" })
    return true
  } catch {
    return false
  }
}

/** A process that was killed leaves its lock. */
const isHeld = (lock: string): boolean => {
  try {
    return process.kill(Number(readFileSync(lock, "utf8")), 0)
  } catch {
    return false
  }
}

/** Waits while another process makes the file. */
const untilThere = (file: string, lock: string) =>
  Effect.repeat(Effect.delay(Effect.sync(() => existsSync(file) || !isHeld(lock)), "50 millis"), {
    until: (isEnd) => isEnd
  }).pipe(
    // the clock of the first test stands still
    Effect.provideService(Clock.Clock, Clock.Clock.defaultValue())
  )

const read = (file: string): Pglite.Prepared => deserialize(readFileSync(file))

const write = (file: string, prepared: Pglite.Prepared): void => {
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, serialize(prepared), { mode: 0o600 })
  renameSync(unfinished, file)
}

const make = Effect.gen(function*() {
  const directory = ownDirectory()
  if (directory === undefined) return yield* prepare
  const file = join(directory, fileName())
  if (existsSync(file)) return read(file)
  const lock = `${file}.lock`
  if (!isFirst(lock)) yield* untilThere(file, lock)
  if (existsSync(file)) return read(file)
  return yield* Effect.ensuring(
    Effect.tap(prepare, (prepared) => Effect.sync(() => write(file, prepared))),
    Effect.sync(() => rmSync(lock, { force: true }))
  )
})

/** Once in this process. */
export const preparedDatabase = Effect.runSync(Effect.cached(make))
