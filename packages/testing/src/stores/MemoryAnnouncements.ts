// The events of a database in memory that webhooks want. In PostgreSQL, triggers store them.
import type * as Approval from "@svc-runtime/domain/Approval"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as EvalRun from "@svc-runtime/features/evaluation/EvalRun"
import * as Experiment from "@svc-runtime/features/evaluation/Experiment"
import { type Announcement, errorCharacters } from "@svc-runtime/features/webhooks/DeliveryStore"
import type * as Webhook from "@svc-runtime/features/webhooks/Webhook"
import { Effect } from "effect"
import type { MemoryDatabase, StoredApproval, StoredRun } from "./MemoryDatabase.ts"
import type { StoredEvalRun, StoredExperiment } from "./StoredEvaluations.ts"
import type { StoredScheduleRun } from "./StoredSchedules.ts"

const runEvents: Partial<Record<Run.Status, Webhook.EventType>> = {
  COMPLETED: "run.completed",
  ERROR: "run.failed",
  CANCELLED: "run.cancelled",
  PAUSED: "run.paused"
}

const ofRun = (
  { sessions }: MemoryDatabase["Service"],
  { component_id, kind, output }: StoredRun,
  before: StoredRun | undefined
): Announcement | undefined => {
  const type = runEvents[output.status]
  const session = sessions.get(output.session_id as Session.Id)
  if (type === undefined || before === undefined || before.output.status === output.status) return undefined
  if (output.parent_run_id !== undefined && output.parent_run_id !== null) return undefined
  if (session === undefined || session.isEvaluation === true) return undefined
  const { run_id, session_id, status } = output
  const user_id = session.session.user_id ?? null
  const component = { kind, id: component_id }
  return { type, component, user_id, session_id, data: { run_id, session_id, user_id, component, status } }
}

/** The id of the component, which is in the field of its kind. */
const componentOf = (approval: Approval.Approval): Webhook.Source | null => {
  const id = approval[`${approval.source_type}_id`]
  return id === null ? null : { kind: approval.source_type, id }
}

const ofApproval = (
  { approval }: StoredApproval,
  before: StoredApproval | undefined
): Announcement | undefined => {
  const isNew = before === undefined && approval.status === "pending"
  const isResolved = before?.approval.status === "pending" && approval.status !== "pending"
  if (!isNew && !isResolved) return undefined
  const { approval_type, pause_type, run_id, session_id, status, tool_name, user_id } = approval
  const component = componentOf(approval)
  return {
    type: isNew ? "approval.created" : "approval.resolved",
    component,
    user_id,
    session_id,
    data: {
      approval_id: approval.id,
      run_id,
      session_id,
      user_id,
      component,
      status,
      approval_type,
      pause_type,
      tool_name
    }
  }
}

const ofEvaluation = ({ evalRun }: StoredEvalRun, before: StoredEvalRun | undefined): Announcement | undefined => {
  if (before === undefined || EvalRun.hasEnded(before.evalRun.status) || !EvalRun.hasEnded(evalRun.status)) {
    return undefined
  }
  const { agent_id, eval_type, id, name, status, team_id, workflow_id } = evalRun
  const component = agent_id !== null
    ? { kind: "agent" as const, id: agent_id }
    : team_id !== null
    ? { kind: "team" as const, id: team_id }
    : workflow_id !== null
    ? { kind: "workflow" as const, id: workflow_id }
    : null
  return {
    type: "evaluation.completed",
    component,
    user_id: null,
    session_id: null,
    data: { evaluation_id: id, component, status, eval_type, name }
  }
}

const ofExperiment = (
  { experiment }: StoredExperiment,
  before: StoredExperiment | undefined
): Announcement | undefined => {
  const { component_id, dataset_id, dataset_version, id, kind, name, status, user_id } = experiment
  if (before === undefined || Experiment.hasEnded(before.experiment.status) || !Experiment.hasEnded(status)) {
    return undefined
  }
  const component = { kind, id: component_id }
  return {
    type: "experiment.completed",
    component,
    user_id,
    session_id: null,
    data: { experiment_id: id, user_id, component, status, name, dataset_id, dataset_version }
  }
}

const ofScheduleRun = (
  { scheduleRuns, schedules }: MemoryDatabase["Service"],
  { first_id, run }: StoredScheduleRun,
  before: StoredScheduleRun | undefined
): Announcement | undefined => {
  const { attempt: attempts, error, id, run_id, schedule_id, session_id, status } = run
  const schedule = schedules.get(schedule_id)?.schedule
  if (schedule === undefined || before?.run.status !== "running" || status !== "failed") return undefined
  const isRepeated = [...scheduleRuns.values()].some((each) =>
    each.first_id === first_id && each.run.attempt > attempts
  )
  return isRepeated ? undefined : {
    type: "schedule.failed",
    component: null,
    user_id: null,
    session_id,
    data: {
      schedule_id,
      name: schedule.name,
      schedule_run_id: id,
      run_id,
      session_id,
      status,
      error: error === null ? null : [...error].slice(0, errorCharacters).join(""),
      attempts,
      disabled: !schedule.enabled && schedule.paused_reason !== null
    }
  }
}

export const watch = Effect.fnUntraced(function*(
  database: MemoryDatabase["Service"],
  announce: (announcement: Announcement) => Effect.Effect<void>
) {
  const context = yield* Effect.context<never>()
  const announceIfAny = (announcement: Announcement | undefined) => {
    if (announcement !== undefined) Effect.runSyncWith(context)(announce(announcement))
  }
  database.runs.watch((run, before) => announceIfAny(ofRun(database, run, before)))
  database.approvals.watch((approval, before) => announceIfAny(ofApproval(approval, before)))
  database.evalRuns.watch((evalRun, before) => announceIfAny(ofEvaluation(evalRun, before)))
  database.experiments.watch((experiment, before) => announceIfAny(ofExperiment(experiment, before)))
  database.scheduleRuns.watch((run, before) => announceIfAny(ofScheduleRun(database, run, before)))
})
