// Schedules, which send requests to the service or start runs at their times. They are in its own database.
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { type Duration, Predicate } from "effect"
import * as DeclaredComponent from "../declarations/DeclaredComponent.ts"
import * as DeclaredOption from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import type * as DeclaredSchedules from "./DeclaredSchedules.ts"
import { schedules as migrations } from "./migrations.ts"
import * as Schedule from "./Schedule.ts"
import { ScheduleRunStore } from "./ScheduleRunStore.ts"
import * as Endpoints from "./SchedulesApi.ts"
import { ScheduleStore } from "./ScheduleStore.ts"
import { scheduleSettings } from "./Scheduling.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly scheduleRuns: typeof ScheduleRunStore
    readonly schedules: typeof ScheduleStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Runs and requests at the times of a cron expression. */
    readonly schedules?: ReadonlyArray<DeclaredSchedules.Declaration> | undefined
  }
}

const durations = ["timeout", "retryDelay", "catchUpWindow", "jitter"] as const

const declared = DeclaredOption.make("schedules", {
  label: "The schedule",
  kinds: {
    name: "text",
    description: "text",
    cron: "text",
    timezone: "text",
    component: "any",
    endpoint: "text",
    method: "text",
    payload: "message",
    timeout: "any",
    maxRetries: "any",
    retryDelay: "any",
    catchUp: { oneOf: Schedule.CatchUp.literals },
    catchUpWindow: "any",
    overlap: { oneOf: Schedule.Overlap.literals },
    jitter: "any"
  },
  check: (owner, given) => {
    DeclaredComponent.check(owner, given.component)
    if ((given.component === undefined) === (given.endpoint === undefined)) {
      throw new Mistake(
        `${owner} needs a component or an endpoint, and has ${given.component === undefined ? "none" : "both"}`
      )
    }
    if (given.component === undefined && Predicate.isString(given.payload)) {
      const todo = "Write { message: … }, or give it a component"
      throw mismatch(`${owner}: payload of an endpoint`, "an object", given.payload, todo)
    }
    if (given.cron === undefined) {
      throw new Mistake(`${owner} has no cron. Give it a cron expression, such as '0 9 * * *'`)
    }
    for (const name of durations) {
      const value: Duration.Input | undefined = given[name]
      if (value !== undefined) Validate.storedDuration(owner, name, value)
    }
  }
})

export const schedules = Feature.make({
  name: "schedules",
  groups: [Endpoints.Schedules],
  settings: scheduleSettings,
  declared,
  stores: { scheduleRuns: ScheduleRunStore, schedules: ScheduleStore },
  migrations,
  load: () => import("./live.ts")
})
