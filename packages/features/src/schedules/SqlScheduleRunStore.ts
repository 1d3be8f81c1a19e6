// `ScheduleRunStore` in PostgreSQL. Only the clock of the database decides what is due, because clocks of nodes can
// differ.
import { orUnavailable, readOrUnavailable } from "@svc-runtime/postgres/sql/orUnavailable"
import * as ReadableRows from "@svc-runtime/postgres/sql/ReadableRows"
import { readOne } from "@svc-runtime/postgres/sql/readOne"
import { text, unchecked } from "@svc-runtime/postgres/sql/rows"
import { Effect, Layer, Option, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as Schedule from "./Schedule.ts"
import { runColumns } from "./scheduleColumns.ts"
import {
  type DueSchedule,
  EarlierRunUnfinished,
  type Ending,
  ScheduleRunStore,
  type Triggered
} from "./ScheduleRunStore.ts"
import * as ScheduleStatements from "./ScheduleStatements.ts"

const DueRow = Schema.Struct({
  ...Struct.pick(Schedule.Schedule.fields, Schedule.dueFields),
  next_run_at: Schema.Finite
})

const BegunRow = Schema.Union([
  Schema.Struct({ waits: Schema.Finite }),
  Schema.Struct({
    run: Schedule.Run,
    schedule: Schema.Struct(Struct.pick(Schedule.Schedule.fields, Schedule.attemptFields)),
    seconds: Schema.Finite,
    isLast: Schema.Boolean
  })
])

const FiredRow = Schema.Struct({ schedules: Schema.Natural, runs: Schema.Natural, cancelled: Schema.Natural })

const readable = ReadableRows.make<DueSchedule>(DueRow, "schedule_id")

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const statements = ScheduleStatements.make(sql)
  const shownRun = sql.literal(runColumns)

  const fire = SqlSchema.findOne({
    Request: unchecked<ReadonlyArray<Schedule.Firing>>(),
    Result: FiredRow,
    execute: statements.fire
  })

  const begin = SqlSchema.findOneOption({
    Request: unchecked<Schedule.RunId>(),
    Result: BegunRow,
    execute: (id) => Effect.map(statements.begin(id), (rows) => rows.flatMap(ScheduleStatements.begun))
  })

  const orphaned = SqlSchema.findAll({
    Request: unchecked<undefined>(),
    Result: Schema.Struct(Struct.pick(Schedule.Run.fields, ["id", "run_id", "session_id"])),
    execute: () => statements.orphaned
  })

  const last = SqlSchema.findOneOption({
    Request: unchecked<Schedule.RunId>(),
    Result: Schedule.Run,
    execute: (id) =>
      sql`
        select ${shownRun} from svc_schedule_runs r where r.first_id = ${text(id)} order by r.attempt desc limit 1`
  })

  return ScheduleRunStore.of({
    nextDue: Effect.fn("SqlScheduleRunStore.nextDue")(function*(limit) {
      const rows = yield* statements.nextDue(limit)
      const [first] = rows
      if (first === undefined) return Option.none()
      return Option.some({ at: first.at, schedules: yield* readable(rows) })
    }, readOrUnavailable),
    fire: Effect.fn("SqlScheduleRunStore.fire")((firings) => orUnavailable(fire(firings))),
    trigger: Effect.fn("SqlScheduleRunStore.trigger")((schedule, id, triggering = {}) =>
      orUnavailable(
        Effect.map(statements.trigger(schedule, id, triggering), ([room]): Triggered => {
          if (room === undefined) return "full"
          return room.isStored ? "stored" : "changed"
        })
      )
    ),
    begin: Effect.fn("SqlScheduleRunStore.begin")(function*(id) {
      const found = yield* readOne(begin(id), { kind: "schedule run", id })
      if (Option.isNone(found)) return Option.none()
      const row = found.value
      return "waits" in row ? yield* new EarlierRunUnfinished({ seconds: row.waits }) : Option.some(row)
    }),
    note: Effect.fn("SqlScheduleRunStore.note")((id, run) => orUnavailable(Effect.asVoid(statements.note(id, run)))),
    finish: Effect.fn("SqlScheduleRunStore.finish")((id: Schedule.RunId, ending: Ending) =>
      orUnavailable(Effect.map(statements.finish(id, ending), ({ length }) => length > 0))
    ),
    isRunning: Effect.fn("SqlScheduleRunStore.isRunning")((id) =>
      readOrUnavailable(Effect.map(statements.running(id), ({ length }) => length > 0))
    ),
    last: Effect.fn("SqlScheduleRunStore.last")((id) => readOne(last(id), { kind: "schedule run", id })),
    orphaned: Effect.fn("SqlScheduleRunStore.orphaned")(() => readOrUnavailable(orphaned(undefined)))
  })
})

export const layer: Layer.Layer<ScheduleRunStore, never, SqlClient.SqlClient> = Layer.effect(ScheduleRunStore, make)
