// Every method of the stores under every kind of failure of the database: it fails with StorageUnavailable, or not at
// all, and after the fault it works again. An unreadable row is a defect in reads and changes of one row.
import { assert, layer } from "@effect/vitest"
import * as FaultySql from "@svc-runtime/test-support/FaultySql"
import { ofFeatures } from "@svc-runtime/test-support/stores/AllStores"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Effect, Exit, Layer, Option, Predicate, References } from "effect"
import type { SqlServices } from "../src/ShortStatements.ts"
import { callThese, storeCalls } from "./storeCalls.ts"
import * as StoreMethods from "./storeMethods.ts"

/** They read or change one row for a request. */
const methodsOfOneRow: ReadonlySet<string> = new Set([
  "runs.find",
  "sessions.update",
  "runs.readEvents",
  "runs.load",
  "runs.snapshot",
  "jobs.find",
  "approvals.get",
  "approvals.resolve",
  ...ofFeatures.flatMap(({ ofOneRow = [] }) => ofOneRow)
])

/** Besides the first one they are what a statement means that finds no row. */
const refusals = ["StorageUnavailable", "SessionNotFound", "ContentSuperseded", "WorkspaceFull", "ChannelFull"]

const storeOf = (method: string) => method.split(".")[0]

export const faulty = <E>(
  name: string,
  database: Layer.Layer<SqlServices, E>,
  more: Readonly<Record<string, string>> = {}
) =>
  layer(StoreMethods.layer.pipe(Layer.provide(database)), { excludeTestServices: true })(
    `The stores over ${name}`,
    (it) => {
      it.effect("every method of every store is called under these failures", () =>
        Effect.gen(function*() {
          assert.deepStrictEqual(yield* StoreMethods.missing(yield* storeCalls), [], callThese)
        }))

      it.effect.each(
        Object.entries({ ...FaultySql.faults, ...more }).map(([name, fault], place) => [name, fault, place] as const)
      )(
        "under %s the stores fail with StorageUnavailable, or a defect for one unreadable row, and work after it",
        ([, fault, place]) =>
          Effect.gen(function*() {
            const calls = Effect.map(
              storeCalls,
              (calls) => Tier.ofEach(Object.entries(calls), 1, ([method]) => storeOf(method), place)
            )
            for (const [method, call] of yield* calls) {
              const exit = yield* Effect.exit(FaultySql.during(call, fault))
              const isOtherRow = fault === FaultySql.faults["a row of another version"]
              if (isOtherRow && methodsOfOneRow.has(method)) {
                assert.isTrue(Exit.hasDies(exit), method)
                continue
              }
              if (Exit.isSuccess(exit)) continue
              assert.isFalse(Cause.hasDies(exit.cause), `${method}: ${Cause.pretty(exit.cause)}`)
              const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
              assert.include(refusals, error?._tag, method)
              if (!Predicate.isTagged(error, "StorageUnavailable")) continue
              assert.propertyVal(
                { isSchemaError: false, ...error },
                "isSchemaError",
                fault.startsWith("raise 42"),
                method
              )
            }
            for (const [method, call] of yield* calls) {
              const exit = yield* Effect.exit(call)
              assert.isTrue(Exit.isSuccess(exit) || !/Unavailable|Die/.test(Cause.pretty(exit.cause)), method)
            }
          }).pipe(Effect.provideService(References.MinimumLogLevel, "None"))
      )
    }
  )
