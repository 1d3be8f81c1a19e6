// A call of every method of the stores of a database, for the tests of faults and of plans. Those of a feature are in
// `test/stores.ts` of its folder.
import { ServiceAccountStore } from "@svc-runtime/auth"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Owner from "@svc-runtime/domain/Owner"
import { ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import * as Job from "@svc-runtime/engine/jobs/Job"
import { JobStore } from "@svc-runtime/engine/jobs/JobStore"
import * as Retention from "@svc-runtime/engine/run/engine/Retention"
import { RetentionStore } from "@svc-runtime/engine/run/store/RetentionStore"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { UsageStore } from "@svc-runtime/engine/run/store/UsageStore"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { ofFeatures } from "@svc-runtime/test-support/stores/AllStores"
import type { Calls } from "@svc-runtime/test-support/stores/CheckedStores"
import { account, entry } from "@svc-runtime/test-support/suites/accounts/Accounts"
import { approval, approved, start } from "@svc-runtime/test-support/suites/approvals/Approvals"
import { job } from "@svc-runtime/test-support/suites/jobs/Jobs"
import {
  ending,
  newId,
  newRun,
  pastSessions,
  presence,
  session,
  sessionId,
  userId
} from "@svc-runtime/test-support/suites/Samples"
import { Effect } from "effect"
import { mediaCalls } from "./mediaCalls.ts"
import { oauthCalls } from "./oauthCalls.ts"

const anyone = { owner: Owner.anyone }

/** Of one run and its session. */
export const runCalls = Effect.fnUntraced(function*(begun: NewRun) {
  const [runs, sessions] = [yield* RunStore, yield* SessionStore]
  const { run_id, session_id } = begun
  const held = { run_id, attempt: 1 }
  const { past, summary } = pastSessions(session_id)
  const calls: Calls = {
    "runs.create": runs.create(begun),
    "runs.record": runs.record({ ...held, position: 0, entry: {}, events: [] }),
    "runs.appendEvents": runs.appendEvents([{ ...held, events: [] }]),
    "runs.readEvents": runs.readEvents(session_id, run_id, anyone, { after: -1, limit: 1 }),
    "runs.requestCancel": runs.requestCancel(run_id, session_id, anyone),
    "runs.unfinished": runs.unfinished([session_id], Owner.anyone, 9),
    "runs.cancelRequested": runs.cancelRequested("node"),
    "runs.admitWaiting": runs.admitWaiting("node"),
    "runs.dequeue": runs.dequeue({ node: "node", sessions: [session_id], uncertain: [] }),
    "runs.find": runs.find(session_id, run_id, anyone),
    "runs.attemptOf": runs.attemptOf(session_id, run_id),
    "runs.list": runs.list(session_id, anyone),
    "runs.listAll": runs.listAll({ owner: Owner.anyone }, { page: 1, limit: 1 }),
    "runs.search": runs.search({
      filter: { owner: Owner.anyone, component: { kind: "agent", id: "agent-2" } },
      session_id,
      limit: 1
    }),
    "runs.outlines": runs.outlines([{ run_id, session_id }], anyone),
    "runs.places": runs.places(session_id, [run_id]),
    "runs.snapshot": runs.snapshot(session_id, run_id, anyone),
    "runs.memberHistory": runs.memberHistory({ run_id, component: { kind: "agent", id: "a" }, team: "t", limit: 1 }),
    "runs.recordMembers": runs.recordMembers(held, []),
    "runs.finish": runs.finish(ending(begun)),
    "runs.finishAndDequeue": runs.finishAndDequeue(ending(begun), "node"),
    "runs.resume": runs.resume({ ...held, node: "node", entry: undefined }),
    "runs.takeOver": runs.takeOver({ node: "node", isStarting: true, limit: 1 }),
    "runs.supersede": runs.supersede(run_id, 9),
    "runs.heartbeat": runs.heartbeat(presence("node")),
    "runs.nodes": runs.nodes,
    "runs.nodeRuns": runs.nodeRuns,
    "runs.release": runs.release("node"),
    "runs.pollEvents": runs.pollEvents([{ run_id, after: -1 }], 1),
    "runs.postpone": runs.postpone({ ...held, seconds: 0 }),
    "runs.load": runs.load(held),
    "runs.setAside": runs.setAside({
      ...held,
      reason: "reason",
      output: ending(begun).run,
      last: undefined,
      updated_at: 1
    }),
    "runs.fork": runs.fork({
      source: session_id,
      session_id: sessionId(),
      filter: anyone,
      created_at: 1,
      job: { id: Job.Id.make(newId("job")), kind: "kind", max_attempts: 1, run_at: 1 }
    }),
    "sessions.find": sessions.find(session_id, Owner.anyone),
    "sessions.getConversation": sessions.getConversation(session_id, Owner.anyone),
    "sessions.list": sessions.list(anyone, { page: 1, limit: 1 }, { by: "created_at", order: "desc" }),
    "sessions.update": sessions.update(session_id, Owner.anyone, { updated_at: 1 }),
    "sessions.findSummary": sessions.findSummary(session_id, run_id),
    "sessions.unsummarized": sessions.unsummarized(session_id, { runs: 1, bytes: 1 }, run_id),
    "sessions.summarize": sessions.summarize(summary),
    "sessions.searchPast": sessions.searchPast(past),
    "sessions.searchHistory": sessions.searchHistory({ session_id, run_id, words: ["milk"] }),
    "sessions.removeSummaries": sessions.removeSummaries(userId()),
    "sessions.remove": sessions.remove([session_id], Owner.anyone),
    "sessions.create": sessions.create(session())
  }
  return calls
})

const jobCalls = Effect.gen(function*() {
  const [jobs, retention] = [yield* JobStore, yield* RetentionStore]
  const one = job()
  const lease = { id: one.id, lease: 1 }
  const calls: Calls = {
    "jobs.enqueue": jobs.enqueue(one),
    "jobs.enqueueMissing": jobs.enqueueMissing(job({ key: "key", isUnique: true })),
    "jobs.enqueueNext": jobs.enqueueNext(job({ key: "key", isUnique: true })),
    "jobs.hasten": jobs.hasten("kind", "key"),
    "jobs.countDue": jobs.countDue(["kind"], 1000),
    "jobs.countWaiting": jobs.countWaiting(["kind"], "user", 100),
    "jobs.find": jobs.find(one.id, Owner.anyone),
    "jobs.list": jobs.list(anyone, { page: 1, limit: 1 }),
    "jobs.cancel": jobs.cancel(one.id, Owner.anyone),
    "jobs.acquire": jobs.acquire({ node: "node", slots: { [one.kind]: 1 } }),
    "jobs.takeOver": jobs.takeOver({ node: "node", executing: [] }),
    "jobs.sync": jobs.sync([{ ...lease, progress: 1 }]),
    "jobs.progressed": jobs.progressed(lease),
    "jobs.finish": jobs.finish(lease, { _tag: "Completed" }),
    "jobs.removeOf": jobs.removeOf(Ids.UserId.make(newId("user"))),
    "retention.paused": retention.paused(60, undefined),
    ...Object.fromEntries(
      [...Retention.tasksOf({}).map(({ name }) => name), ...Object.keys(yield* SqlStores.expirySteps)].map((name) => [
        `retention.prune, ${name}`,
        retention.prune(name, ["idempotency", "oauth"].includes(name) ? 0 : 60)
      ])
    )
  }
  return calls
})

const callerCalls = Effect.gen(function*() {
  const [accounts, approvals, keys] = [yield* ServiceAccountStore, yield* ApprovalStore, yield* IdempotencyStore]
  const usage = yield* UsageStore
  const [bot, one] = [account(), approval()]
  const held = { key: newId("key"), claim_id: newId("claim") }
  const claim = { ...held, fingerprint: "print", subject: {}, created_at: start, expires_at: start + 60 }
  const calls: Calls = {
    "accounts.insert": accounts.insert(bot, entry(bot, "minted")),
    "accounts.nameOfOthers": accounts.nameOfOthers(bot.name, null),
    "accounts.isActive": accounts.isActive(bot.name, null, 1),
    "accounts.findByHash": accounts.findByHash(bot.token_hash),
    "accounts.list": accounts.list(
      { includeRevoked: true },
      { page: 1, limit: 1 },
      { by: "created_at", order: "desc" }
    ),
    "accounts.touch": accounts.touch(bot.id, start, start),
    "accounts.revoke": accounts.revoke(bot.id, start, entry(bot, "revoked")),
    "accounts.remove": accounts.remove(bot.id, entry(bot, "revoked")),
    "accounts.audit": accounts.audit(bot.id),
    "approvals.create": approvals.create(one, one.run_id),
    "approvals.get": approvals.get(one.id, Owner.anyone, start),
    "approvals.list": approvals.list(anyone, { page: 1, limit: 1 }, start),
    "approvals.countPending": approvals.countPending(Owner.anyone, start),
    "approvals.resolve": approvals.resolve(one.id, Owner.anyone, approved, start),
    "approvals.listByRun": approvals.listByRun(one.run_id, start),
    "approvals.listPendingResumes": approvals.listPendingResumes({ after: undefined, limit: 1 }),
    "approvals.markResumed": approvals.markResumed([one.id]),
    "approvals.closeForRun": approvals.closeForRun(one.run_id, "ERROR", start),
    "approvals.remove": approvals.remove(one.id, Owner.anyone),
    "usage.rollUp": usage.rollUp(),
    "usage.forget": usage.forget(userId()),
    "usage.list": usage.list({
      owner: Owner.anyone,
      from: 1,
      to: 2,
      interval: "day",
      group: "model",
      component: { kind: "agent", id: "a" },
      model_id: "m"
    }, { page: 1, limit: 1 }),
    "idempotency.claim": keys.claim(claim),
    "idempotency.release": keys.release(held)
  }
  return calls
})

/** Of what is known of users, beside the stores of features. */
const knownCalls = Effect.gen(function*() {
  const [settings, sessions] = [yield* MemorySettingsStore, yield* SessionStore]
  const user_id = userId()
  const stored = session()
  yield* sessions.create(stored)
  const request = { role: "memory_model", model: { id: "m", provider: "p" }, usage: { input_tokens: 1 } }
  const calls: Calls = {
    "sessions.addUsage": sessions.addUsage(stored.session_id, request, 1),
    "memorySettings.isEnabled": settings.isEnabled(user_id),
    "memorySettings.set": settings.set(user_id, true, 1),
    "memorySettings.listDisabled": settings.listDisabled(user_id, 10),
    "memorySettings.disable": settings.disable([user_id], 1),
    "memorySettings.atomically": settings.atomically(settings.set(user_id, false, 1)),
    "memorySettings.recordErasure": settings.recordErasure({
      user_id,
      action: "memory_deleted",
      actor: null,
      credential: "key",
      at: 1,
      counts: {}
    }),
    "memorySettings.erasuresOf": settings.erasuresOf(user_id)
  }
  return calls
})

export const callThese = "call these in calls of test/stores.ts of their feature, or in postgres/test/storeCalls.ts"

export const storeCalls = Effect.map(
  Effect.all([
    runCalls(newRun()),
    jobCalls,
    callerCalls,
    oauthCalls,
    mediaCalls,
    knownCalls,
    ...ofFeatures.map(({ calls }) => calls)
  ]),
  (all): Calls => Object.assign({}, ...all)
)
