// The operations for operators.
import type { Operations } from "../Operation.ts"

export const operating: Operations = {
  get_root: { summary: "Get the name of the service", description: "Returns name and version. A browser gets a page." },
  health: {
    summary: "Check that the process is running",
    description:
      "Answers as long as the process runs, also without its database. For the state of the service, see `/ready`."
  },
  ready: {
    summary: "Check that the service accepts work",
    description:
      "Answers 503 with reasons while the database is away, migrations are executed, or the node is stopping."
  },
  get_info: {
    summary: "Get what the service is",
    description: "Returns versions, numbers of components and how requests are authorized. It needs no credential."
  },
  get_caller: {
    summary: "Get who the caller is",
    description: "Returns the user and the scopes of the credential, so that a page offers what it allows."
  },
  get_config: {
    summary: "Get the configuration",
    description: "Returns components, databases, models and protocols, as a page for people needs them."
  },
  get_models: { summary: "List the models", description: "Returns the models that components of the service use." },
  get_nodes: {
    summary: "List the nodes of each database",
    description: "Returns the nodes that share each database, whether they are alive, and how many runs they have."
  },
  get_prometheus_metrics: {
    summary: "Get the metrics for Prometheus",
    description: "Returns the metrics of this node in the text format of Prometheus."
  },
  migrate_all_databases: {
    summary: "Migrate all databases",
    description: "Applies the pending migrations to each database. The service does this at its start as well."
  },
  migrate_database: {
    summary: "Migrate a database",
    description: "Applies the pending migrations to one database."
  },
  get_migrations: {
    summary: "List the migrations of a database",
    description: "Returns the applied and the pending migrations."
  },

  create_service_account: {
    summary: "Create a service account",
    description: "Makes a token for a program. The token is shown only in this answer.",
    body: { name: "bot", scopes: ["agents:run"] }
  },
  get_service_accounts: {
    summary: "List the service accounts",
    description: "Returns the accounts with their scopes, without their tokens."
  },
  revoke_service_account: {
    summary: "Revoke a service account",
    description: "Makes the token useless at once. Open streams end at their next message."
  },

  get_metrics: {
    summary: "Get the metrics by day",
    description: "Returns runs, sessions, users and tokens of each day, in UTC."
  },
  get_usage: {
    summary: "Get the usage",
    description: "Returns runs, tokens, cost and durations by hour or day, grouped by component, user or model."
  },
  refresh_metrics: {
    summary: "Refresh the metrics",
    description: "Computes the metrics of the days that changed, in the background."
  },
  get_metrics_refresh_status: {
    summary: "Get the state of the refresh",
    description: "Returns whether a refresh is running, and how the last one ended."
  },

  get_traces: {
    summary: "List the traces",
    description:
      "Returns traces, the newest first. They can be filtered by run, session, user, component, state and time."
  },
  get_trace_filter_schema: {
    summary: "Get what traces can be filtered by",
    description: "Returns the fields and operators of the filter of a search."
  },
  get_trace: { summary: "Get a trace", description: "Returns one trace with its spans as a tree." },
  get_trace_stats: { summary: "Count the traces of sessions", description: "Returns sessions with numbers of traces." },
  search_traces: {
    summary: "Search the traces",
    description: "Returns traces, or sessions with `group_by`, that meet a filter.",
    body: { filter: { op: "EQ", key: "status", value: "ERROR" }, limit: 20 }
  },

  list_schedules: { summary: "List the schedules", description: "Returns the schedules with their next times." },
  create_schedule: {
    summary: "Create a schedule",
    description: "Stores a request that the service sends to itself at the times of a cron expression.",
    body: {
      name: "Morning report",
      cron_expr: "0 9 * * 1-5",
      endpoint: "/agents/assistant/runs",
      payload: { message: "Write the report." }
    }
  },
  get_schedule: { summary: "Get a schedule", description: "Returns one schedule." },
  update_schedule: {
    summary: "Change a schedule",
    description: "Changes the fields that are sent. The next time is computed anew.",
    body: { cron_expr: "0 10 * * 1-5" }
  },
  delete_schedule: { summary: "Delete a schedule", description: "Removes the schedule. Runs that it started stay." },
  enable_schedule: { summary: "Enable a schedule", description: "Starts the schedule again, from the next time on." },
  disable_schedule: {
    summary: "Disable a schedule",
    description: "Stops the schedule. Runs that are executing continue."
  },
  trigger_schedule: {
    summary: "Trigger a schedule",
    description: "Sends the request of the schedule now, beside its times."
  },
  preview_cron: {
    summary: "Show the next times of a cron expression",
    description: "Returns the next times of a cron expression, before a schedule has it."
  },
  preview_schedule: { summary: "Show the next times", description: "Returns the next times of the schedule." },
  list_schedule_runs: {
    summary: "List the runs of a schedule",
    description: "Returns the attempts of the schedule, the newest first."
  },
  get_schedule_run: { summary: "Get a run of a schedule", description: "Returns one attempt of the schedule." },

  list_webhooks: { summary: "List the webhooks", description: "Returns the webhooks, without their secrets." },
  create_webhook: {
    summary: "Create a webhook",
    description: "Stores an address that the service calls at events. The secret is shown only in this answer.",
    body: { url: "https://example.com/hooks", events: ["run.completed"] }
  },
  get_webhook: { summary: "Get a webhook", description: "Returns one webhook, without its secret." },
  update_webhook: {
    summary: "Change a webhook",
    description: "Changes the fields that are sent. `enabled: true` starts a webhook that the service has disabled.",
    body: { enabled: true }
  },
  delete_webhook: {
    summary: "Delete a webhook",
    description: "Removes the webhook. Events that wait are not sent any more."
  },
  rotate_webhook_secret: {
    summary: "Replace the secret of a webhook",
    description: "Makes a new secret. The one before also signs for a while."
  },
  test_webhook: { summary: "Test a webhook", description: "Sends the event `webhook.test`, as the next delivery." },
  list_webhook_deliveries: {
    summary: "List the deliveries of a webhook",
    description: "Returns the calls of the webhook, the newest first."
  },
  get_webhook_delivery: { summary: "Get a delivery", description: "Returns one delivery with the body that was sent." },
  redeliver_webhook_delivery: {
    summary: "Repeat a delivery",
    description: "Sends the event again, with the same id."
  }
}
