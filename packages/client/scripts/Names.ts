// Names of the client's methods. They follow from method and path, but for the operations that are named here.

/** Operations of runs have methods of their own: `svc.agent(id)`. */
export const isOfRuns = (path: string): boolean => /^\/(agents|teams|workflows)\/\{\w+\}\/(runs|sessions)/.test(path)

const exceptions: Readonly<Record<string, string>> = {
  get_root: "root",
  get_info: "info",
  get_caller: "caller",
  get_config: "config",
  get_models: "models",
  health: "health",
  ready: "ready",
  get_nodes: "nodes",
  get_prometheus_metrics: "prometheusMetrics",
  migrate_all_databases: "migrateAll",
  get_migrations: "migrations",
  delete_sessions: "deleteMany",
  get_session_runs: "runs",
  get_session_run: "run",
  delete_memories: "deleteMany",
  get_memory_topics: "topics",
  get_user_memory_stats: "userStats",
  optimize_memories: "optimize",
  revoke_service_account: "revoke",
  get_approval_count: "count",
  get_approval_status: "status",
  list_learning_users: "users",
  delete_user_learnings: "deleteOfUser",
  upload_content: "add",
  upload_remote_content: "addRemote",
  get_content: "list",
  get_content_by_id: "get",
  get_content_status: "status",
  update_content: "update",
  delete_content_by_id: "delete",
  delete_all_content: "deleteAll",
  search_knowledge: "search",
  get_knowledge_config: "config",
  list_content_sources: "sources",
  list_content_source_files: "sourceFiles",
  get_user_memory_settings: "memorySettings",
  update_user_memory_settings: "setMemorySettings",
  delete_user_memory: "deleteMemory",
  get_metrics: "days",
  get_usage: "usage",
  refresh_metrics: "refresh",
  get_metrics_refresh_status: "refreshStatus",
  get_trace_filter_schema: "filterSchema",
  get_trace_stats: "sessionStats",
  search_traces: "search",
  delete_eval_runs: "deleteMany",
  give_feedback: "give",
  get_run_feedback: "ofRun",
  list_component_configs: "versions",
  create_component_config: "createVersion",
  get_current_component_config: "currentVersion",
  get_component_config: "version",
  update_component_config: "updateVersion",
  delete_component_config: "deleteVersion",
  set_current_component_config: "setCurrent",
  list_dataset_items: "items",
  change_dataset_items: "changeItems",
  add_dataset_item_from_trace: "addFromTrace",
  import_dataset_items: "importItems",
  export_dataset_items: "exportItems",
  compare_experiments: "compare",
  list_experiment_items: "items",
  preview_cron: "preview",
  preview_schedule: "next",
  list_schedule_runs: "runs",
  get_schedule_run: "run",
  rotate_webhook_secret: "rotateSecret",
  list_webhook_deliveries: "deliveries",
  get_webhook_delivery: "delivery",
  redeliver_webhook_delivery: "redeliver"
}

const verbs: Readonly<Record<string, readonly [ofAll: string, ofOne: string]>> = {
  get: ["list", "get"],
  post: ["create", "create"],
  patch: ["update", "update"],
  put: ["set", "set"],
  delete: ["deleteAll", "delete"]
}

export const camelCase = (text: string): string =>
  text.toLowerCase().replace(/[-_ ]+(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `sessions.rename` for `POST /sessions/{session_id}/rename`. */
export const methodName = (operationId: string, method: string, path: string): string => {
  const exception = exceptions[operationId]
  if (exception !== undefined) return exception
  const parts = path.split("/").slice(1)
  const last = parts.at(-1) ?? ""
  if (parts.length > 2 && !last.startsWith("{")) return camelCase(last)
  return verbs[method]?.[last.startsWith("{") ? 1 : 0] ?? camelCase(operationId)
}
