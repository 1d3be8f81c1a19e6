// What every database contains: the migrations that make its tables, and the stores on them. A resource adds a line to
// each. A folder is not read instead, because a bundle of a service has no folder.
import * as SqlComponentStore from "@svc-runtime/features/components/SqlComponentStore"
import * as SqlDatasetStore from "@svc-runtime/features/evaluation/SqlDatasetStore"
import * as SqlEvalRunStore from "@svc-runtime/features/evaluation/SqlEvalRunStore"
import * as SqlExperimentStore from "@svc-runtime/features/evaluation/SqlExperimentStore"
import * as SqlFeedbackStore from "@svc-runtime/features/feedback/SqlFeedbackStore"
import * as SqlChunkStore from "@svc-runtime/features/knowledge/SqlChunkStore"
import * as SqlContentStore from "@svc-runtime/features/knowledge/SqlContentStore"
import * as SqlLearningStore from "@svc-runtime/features/learning/SqlLearningStore"
import * as SqlMemorySettingsStore from "@svc-runtime/features/memory/SqlMemorySettingsStore"
import * as SqlMemoryStore from "@svc-runtime/features/memory/SqlMemoryStore"
import * as SqlMemoryVectorStore from "@svc-runtime/features/memory/SqlMemoryVectorStore"
import * as SqlMetricsStore from "@svc-runtime/features/metrics/SqlMetricsStore"
import * as SqlUsageStore from "@svc-runtime/features/metrics/SqlUsageStore"
import * as SqlScheduleRunStore from "@svc-runtime/features/schedules/SqlScheduleRunStore"
import * as SqlScheduleStore from "@svc-runtime/features/schedules/SqlScheduleStore"
import * as SqlTaskPushStore from "@svc-runtime/features/taskPush/SqlTaskPushStore"
import * as SqlTraceStore from "@svc-runtime/features/traces/SqlTraceStore"
import * as SqlDeliveryStore from "@svc-runtime/features/webhooks/SqlDeliveryStore"
import * as SqlWebhookStore from "@svc-runtime/features/webhooks/SqlWebhookStore"
import { Layer } from "effect"
import { Migrator } from "effect/sql"
import sessions from "./migrations/0001_sessions.ts"
import runs from "./migrations/0002_runs.ts"
import serviceAccounts from "./migrations/0003_service_accounts.ts"
import cancel from "./migrations/0004_cancel.ts"
import idempotency from "./migrations/0005_idempotency.ts"
import journal from "./migrations/0006_journal.ts"
import approvals from "./migrations/0007_approvals.ts"
import turns from "./migrations/0008_turns.ts"
import copiedMembers from "./migrations/0009_copied_members.ts"
import membersMemory from "./migrations/0010_members_memory.ts"
import pendingResumes from "./migrations/0011_untold_approvals.ts"
import leases from "./migrations/0012_leases.ts"
import nodes from "./migrations/0013_nodes.ts"
import runEnds from "./migrations/0015_run_ends.ts"
import lists from "./migrations/0016_lists.ts"
import largeTexts from "./migrations/0017_large_texts.ts"
import accountNames from "./migrations/0018_account_names.ts"
import resumedRuns from "./migrations/0019_resumed_runs.ts"
import retention from "./migrations/0020_retention.ts"
import sessionNames from "./migrations/0034_session_names.ts"
import approvalRoots from "./migrations/0042_approval_roots.ts"
import jobs from "./migrations/0045_jobs.ts"
import journalMarks from "./migrations/0056_journal_marks.ts"
import columnNames from "./migrations/0066_column_names.ts"
import memories from "./migrations/0070_memories.ts"
import learnings from "./migrations/0074_learnings.ts"
import lookupIndexes from "./migrations/0080_lookup_indexes.ts"
import memorySettings from "./migrations/0082_memory_settings.ts"
import learningKeys from "./migrations/0083_learning_keys.ts"
import sharedLearnings from "./migrations/0084_shared_learnings.ts"
import memoryErasures from "./migrations/0086_memory_erasures.ts"
import sessionSummaries from "./migrations/0087_session_summaries.ts"
import learningUsers from "./migrations/0089_learning_users.ts"
import memoryVectors from "./migrations/0092_memory_vectors.ts"
import memorySearch from "./migrations/0093_memory_search.ts"
import removedSessions from "./migrations/0094_removed_sessions.ts"
import knowledge from "./migrations/0095_knowledge.ts"
import processedContents from "./migrations/0099_processed_contents.ts"
import learningIndexes from "./migrations/0100_learning_indexes.ts"
import runOrigins from "./migrations/0105_run_origins.ts"
import storedSections from "./migrations/0107_stored_sections.ts"
import auditCounts from "./migrations/0108_audit_counts.ts"
import learningProposers from "./migrations/0110_learning_proposers.ts"
import learningPages from "./migrations/0111_learning_pages.ts"
import folders from "./migrations/0116_folders.ts"
import vectorIndexes from "./migrations/0119_vector_indexes.ts"
import changedModels from "./migrations/0120_changed_models.ts"
import storedEvents from "./migrations/0131_stored_events.ts"
import memoryOff from "./migrations/0132_memory_off.ts"
import removedContents from "./migrations/0133_removed_contents.ts"
import dayMetrics from "./migrations/0152_day_metrics.ts"
import removedVectors from "./migrations/0153_removed_vectors.ts"
import traces from "./migrations/0154_traces.ts"
import evalRuns from "./migrations/0157_eval_runs.ts"
import usageHours from "./migrations/0158_usage_hours.ts"
import traceOwners from "./migrations/0161_trace_owners.ts"
import feedback from "./migrations/0163_feedback.ts"
import spanRemovals from "./migrations/0166_span_removals.ts"
import jobTraces from "./migrations/0167_job_traces.ts"
import datasets from "./migrations/0168_datasets.ts"
import experiments from "./migrations/0169_experiments.ts"
import components from "./migrations/0172_components.ts"
import traceDatabases from "./migrations/0178_trace_databases.ts"
import schedules from "./migrations/0179_schedules.ts"
import scheduleRunSessions from "./migrations/0180_schedule_run_sessions.ts"
import webhooks from "./migrations/0181_webhooks.ts"
import scheduleFiring from "./migrations/0182_schedule_firing.ts"
import webhookDeliveries from "./migrations/0183_webhook_deliveries.ts"
import webhookEvents from "./migrations/0184_webhook_events.ts"
import dailyJobs from "./migrations/0186_daily_jobs.ts"
import experimentVersions from "./migrations/0187_experiment_versions.ts"
import foundRuns from "./migrations/0192_found_runs.ts"
import taskPushes from "./migrations/0193_task_pushes.ts"
import oauth from "./migrations/0198_oauth.ts"
import oauthAddresses from "./migrations/0199_oauth_addresses.ts"
import haltedRuns from "./migrations/0200_halted_runs.ts"
import media from "./migrations/0201_media.ts"
import startLimits from "./migrations/0202_start_limits.ts"
import waitingRuns from "./migrations/0203_waiting_runs.ts"
import waitingRunsOfUsers from "./migrations/0204_waiting_runs_of_users.ts"
import experimentInputs from "./migrations/0205_experiment_inputs.ts"
import endedEvaluations from "./migrations/0206_ended_evaluations.ts"
import evaluationUsers from "./migrations/0207_evaluation_users.ts"
import spanRows from "./migrations/0208_span_rows.ts"
import evaluationEnds from "./migrations/0209_evaluation_ends.ts"
import knownCosts from "./migrations/0210_known_costs.ts"
import spanPacks from "./migrations/0211_span_packs.ts"
import unknownCosts from "./migrations/0212_unknown_costs.ts"
import traceRuns from "./migrations/0213_trace_runs.ts"
import appliedRemovals from "./migrations/0214_applied_removals.ts"
import * as SqlApprovalStore from "./SqlApprovalStore.ts"
import * as SqlIdempotencyStore from "./SqlIdempotencyStore.ts"
import * as SqlJobStore from "./SqlJobStore.ts"
import * as SqlMediaStore from "./SqlMediaStore.ts"
import * as SqlRetentionStore from "./SqlRetentionStore.ts"
import * as SqlRunStore from "./SqlRunStore.ts"
import * as SqlSessionStore from "./SqlSessionStore.ts"

/** Append-only: a released migration never changes. */
export const migrations = Migrator.fromRecord({
  "0001_sessions": sessions,
  "0002_runs": runs,
  "0003_service_accounts": serviceAccounts,
  "0004_cancel": cancel,
  "0005_idempotency": idempotency,
  "0006_journal": journal,
  "0007_approvals": approvals,
  "0008_turns": turns,
  "0009_copied_members": copiedMembers,
  "0010_members_memory": membersMemory,
  "0011_untold_approvals": pendingResumes,
  "0012_leases": leases,
  "0013_nodes": nodes,
  "0015_run_ends": runEnds,
  "0016_lists": lists,
  "0017_large_texts": largeTexts,
  "0018_account_names": accountNames,
  "0019_resumed_runs": resumedRuns,
  "0020_retention": retention,
  "0034_session_names": sessionNames,
  "0042_approval_roots": approvalRoots,
  "0045_jobs": jobs,
  "0056_journal_marks": journalMarks,
  "0066_column_names": columnNames,
  "0070_memories": memories,
  "0074_learnings": learnings,
  "0080_lookup_indexes": lookupIndexes,
  "0082_memory_settings": memorySettings,
  "0083_learning_keys": learningKeys,
  "0084_shared_learnings": sharedLearnings,
  "0086_memory_erasures": memoryErasures,
  "0087_session_summaries": sessionSummaries,
  "0089_learning_users": learningUsers,
  "0092_memory_vectors": memoryVectors,
  "0093_memory_search": memorySearch,
  "0094_removed_sessions": removedSessions,
  "0095_knowledge": knowledge,
  "0099_processed_contents": processedContents,
  "0100_learning_indexes": learningIndexes,
  "0105_run_origins": runOrigins,
  "0107_stored_sections": storedSections,
  "0108_audit_counts": auditCounts,
  "0110_learning_proposers": learningProposers,
  "0111_learning_pages": learningPages,
  "0116_folders": folders,
  "0119_vector_indexes": vectorIndexes,
  "0120_changed_models": changedModels,
  "0131_stored_events": storedEvents,
  "0132_memory_off": memoryOff,
  "0133_removed_contents": removedContents,
  "0152_day_metrics": dayMetrics,
  "0153_removed_vectors": removedVectors,
  "0154_traces": traces,
  "0157_eval_runs": evalRuns,
  "0158_usage_hours": usageHours,
  "0161_trace_owners": traceOwners,
  "0163_feedback": feedback,
  "0166_span_removals": spanRemovals,
  "0167_job_traces": jobTraces,
  "0168_datasets": datasets,
  "0169_experiments": experiments,
  "0172_components": components,
  "0178_trace_databases": traceDatabases,
  "0179_schedules": schedules,
  "0180_schedule_run_sessions": scheduleRunSessions,
  "0181_webhooks": webhooks,
  "0182_schedule_firing": scheduleFiring,
  "0183_webhook_deliveries": webhookDeliveries,
  "0184_webhook_events": webhookEvents,
  "0186_daily_jobs": dailyJobs,
  "0187_experiment_versions": experimentVersions,
  "0192_found_runs": foundRuns,
  "0193_task_pushes": taskPushes,
  "0198_oauth": oauth,
  "0199_oauth_addresses": oauthAddresses,
  "0200_halted_runs": haltedRuns,
  "0201_media": media,
  "0202_start_limits": startLimits,
  "0203_waiting_runs": waitingRuns,
  "0204_waiting_runs_of_users": waitingRunsOfUsers,
  "0205_experiment_inputs": experimentInputs,
  "0206_ended_evaluations": endedEvaluations,
  "0207_evaluation_users": evaluationUsers,
  "0208_span_rows": spanRows,
  "0209_evaluation_ends": evaluationEnds,
  "0210_known_costs": knownCosts,
  "0211_span_packs": spanPacks,
  "0212_unknown_costs": unknownCosts,
  "0213_trace_runs": traceRuns,
  "0214_applied_removals": appliedRemovals
})

export const stores = Layer.mergeAll(
  SqlSessionStore.layer,
  SqlRunStore.layer,
  SqlApprovalStore.layer,
  SqlIdempotencyStore.layer,
  SqlRetentionStore.layer,
  SqlJobStore.layer,
  SqlMemoryStore.layer,
  SqlMemoryVectorStore.layer,
  SqlLearningStore.layer,
  SqlMemorySettingsStore.layer,
  SqlContentStore.layer,
  SqlChunkStore.layer,
  SqlMetricsStore.layer,
  SqlTraceStore.layer,
  SqlEvalRunStore.layer,
  SqlComponentStore.layer,
  SqlDatasetStore.layer,
  SqlExperimentStore.layer,
  SqlFeedbackStore.layer,
  SqlScheduleRunStore.layer,
  SqlScheduleStore.layer,
  SqlTaskPushStore.layer,
  SqlMediaStore.layer,
  SqlUsageStore.layer,
  SqlWebhookStore.layer,
  SqlDeliveryStore.layer
)
