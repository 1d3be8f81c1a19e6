// What every `RunStore` has to do. The layer also gives the `SessionStore` and the `JobStore` of the same database, to
// see what runs do to their session and which jobs they enqueue. Tests share the database: each looks only at what it
// made itself.
import { layer } from "@effect/vitest"
import type { ComponentStore } from "@svc-runtime/agents/component/ComponentStore"
import type { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import type { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { Layer } from "effect"
import { acceptance } from "./runs/acceptance.ts"
import { assumptions } from "./runs/assumptions.ts"
import { branches } from "./runs/branches.ts"
import { cancelling } from "./runs/cancelling.ts"
import { completion } from "./runs/completion.ts"
import { decidedResumes } from "./runs/decidedResumes.ts"
import { eventLog } from "./runs/events.ts"
import { finishAndDequeue } from "./runs/finishAndDequeue.ts"
import { forking } from "./runs/forking.ts"
import { forkingTeams } from "./runs/forkingTeams.ts"
import { history } from "./runs/history.ts"
import { holders } from "./runs/holders.ts"
import { jobsAfterRun } from "./runs/jobsAfterRun.ts"
import { journal } from "./runs/journal.ts"
import { largeTexts } from "./runs/largeTexts.ts"
import { leases } from "./runs/leases.ts"
import { lifecycle } from "./runs/lifecycle.ts"
import { limits } from "./runs/limits.ts"
import { memberHistory } from "./runs/memberHistory.ts"
import { memberRuns } from "./runs/memberRuns.ts"
import { ownership } from "./runs/ownership.ts"
import { reading } from "./runs/reading.ts"
import { runLeases } from "./runs/runLeases.ts"
import { searchingRuns } from "./runs/searching.ts"
import { sessionChanges } from "./runs/sessionChanges.ts"
import { sessionQueue } from "./runs/sessionQueue.ts"
import { storedTexts } from "./runs/storedTexts.ts"

export const suite = <E>(
  name: string,
  stores: Layer.Layer<ApprovalStore | ComponentStore | JobStore | MemorySettingsStore | RunStore | SessionStore, E>
) =>
  layer(stores, { excludeTestServices: true })(`RunStore, ${name}`, (it) => {
    acceptance(it)
    assumptions(it)
    history(it)
    branches(it)
    completion(it)
    jobsAfterRun(it)
    sessionChanges(it)
    reading(it)
    storedTexts(it)
    ownership(it)
    searchingRuns(it)
    cancelling(it)
    eventLog(it)
    journal(it)
    runLeases(it)
    largeTexts(it)
    leases(it)
    holders(it)
    lifecycle(it)
    limits(it)
    sessionQueue(it)
    finishAndDequeue(it)
    decidedResumes(it)
    forking(it)
    forkingTeams(it)
    memberRuns(it)
    memberHistory(it)
  })
