// What the codes of errors mean, and what to do. `errors.ts` adds the sentences that the sources have for each of them.
// `packages/test-support/test/explanations.test.ts` fails if the sources have a code that is not here.

export interface Explanation {
  readonly cause: string
  readonly todo: string
  /** The page of docs that describes it. */
  readonly page: string
}

const explained = (page: string, cause: string, todo: string): Explanation => ({ page, cause, todo })

/** `error_code` of responses. */
export const responses = {
  BAD_REQUEST: explained(
    "reference/endpoints.md",
    "The service cannot use the request as a whole: its body, a header, its host name or its form.",
    "Read `detail`, which names the part, and change it. The same request gets the same response."
  ),
  UNAUTHENTICATED: explained(
    "operate/authorization.md",
    "The service needs a credential, and the request has none, or one that is expired, revoked or signed with another key.",
    "Send `Authorization: Bearer TOKEN`. `svc tokens create` makes a token of a service account."
  ),
  FORBIDDEN: explained(
    "operate/authorization.md",
    "The credential is valid and lacks a scope, or the origin of the page or the host name is not allowed.",
    "Read `detail`. Use a credential with the scope, or add the origin to `CORS_ORIGIN_LIST`."
  ),
  NOT_FOUND: explained(
    "reference/endpoints.md",
    "There is nothing with this path or id, or the caller may not see it: data of other users is not found either.",
    "Check the id. `GET /agents`, `/teams` and `/workflows` list the components, `svc runs list` the runs."
  ),
  METHOD_NOT_ALLOWED: explained(
    "reference/endpoints.md",
    "The path exists, and takes other methods.",
    "The header `allow` of the response has the methods."
  ),
  CONFLICT: explained(
    "guides/sessions.md",
    "The request does not fit the present state: the run has ended or executes, the name is taken, or another request was faster.",
    "Read the present state, and decide again. Requests with an `Idempotency-Key` can be repeated as they are."
  ),
  PAYLOAD_TOO_LARGE: explained(
    "reference/settings.md",
    "The body, or what a run would store, has more bytes than the service accepts.",
    "Send less, or raise the setting that `detail` names, such as `MAX_JSON_BYTES`."
  ),
  VALIDATION_ERROR: explained(
    "reference/fields.md",
    "A field of the request is missing, unknown or not valid.",
    "`errors` has the path to each field, and why it is refused."
  ),
  TOO_MANY_REQUESTS: explained(
    "operate/limits.md",
    "A limit of the user, of the component or of the service is reached.",
    "Wait for the seconds in `Retry-After`, or raise the limit. `WHEN_LIMITED=queue` lets runs wait instead."
  ),
  INTERNAL_SERVER_ERROR: explained(
    "operate/observability.md",
    "The service or code of its author has failed. The response does not have the reason.",
    "Search the log for the `request_id` of the response."
  ),
  NOT_IMPLEMENTED: explained(
    "guides/routes.md",
    "A route of the author responds that it does not do this.",
    "Read `detail`. The code of the route has the reason."
  ),
  SERVICE_UNAVAILABLE: explained(
    "operate/running.md",
    "The service starts or stops, its database does not reply, or it has no room for the request.",
    "Try again after `Retry-After`. `GET /ready` and `svc doctor` say what is missing."
  )
} as const satisfies Readonly<Record<string, Explanation>>

/** `error_type` of failed runs. */
export const runs = {
  model_provider_error: explained(
    "guides/models.md",
    "The provider of the model failed, refused the request, or did not answer in time, after all retries.",
    "Read the message. `fallbackModels` continues with another model, and `continue` resumes the run."
  ),
  model_authentication_error: explained(
    "guides/models.md",
    "The provider does not accept the key, or the key may not use the model.",
    "Set the key of the provider, such as `OPENAI_API_KEY`, and restart the service. `svc doctor` checks it."
  ),
  budget_error: explained(
    "operate/budgets.md",
    "A budget of the run is used up, or refuses the model because it has no price.",
    "Read the message. Raise the amount of the budget or wait until it begins anew, and continue the run."
  ),
  agent_run_error: explained(
    "guides/agents.md",
    "The agent has reached a limit, a hook is broken, an outcome is unknown, or its run cannot be resumed.",
    "Read the message. If it says that the log has more, search the log for the `run_id`."
  ),
  workflow_run_error: explained(
    "guides/workflows.md",
    "The workflow failed outside of its steps, or its run cannot be resumed.",
    "Read the message, and the log under the `run_id`."
  ),
  input_check_error: explained(
    "guides/hooks.md",
    "A check or a guardrail has refused the input. The model was not called.",
    "`error_id` has the reason of the check. Change the message, or the check of the agent."
  ),
  output_check_error: explained(
    "guides/hooks.md",
    "A check or a guardrail has refused the answer of the model.",
    "`error_id` has the reason of the check. Change the instructions, or the check of the agent."
  ),
  Mismatch: explained(
    "guides/workflows.md",
    "A value does not fit its schema: the input of a nested workflow, a session state, or the values of a person.",
    "The message has the path to the value, and what is expected there."
  ),
  ValueError: explained(
    "guides/workflows.md",
    "A list is too long or is no list, or a router has selected a step that it does not have.",
    "Check what the step before gives. `maxItems` raises the length of a list."
  ),
  TypeError: explained(
    "guides/workflows.md",
    "A step gave something that is no JSON, such as a function or a class.",
    "Return texts, numbers, booleans, null, and lists and objects of these."
  ),
  Diverged: explained(
    "guides/workflows.md",
    "The steps of the workflow, or the calls of a function, have changed under a run that had begun.",
    "The message names both. Serve the earlier code until such runs have ended, or start the run again."
  ),
  TimeoutError: explained(
    "guides/workflows.md",
    "A step did not end within its `timeout`.",
    "Raise the `timeout`, add `retries`, or set `onError`."
  ),
  Error: explained(
    "guides/workflows.md",
    "The function of a step has thrown an error. Errors with a name of their own have this name as the type.",
    "The message is that of the error. `retries` and `onError` decide what follows."
  )
} as const satisfies Readonly<Record<string, Explanation>>

/** Why a service does not start: the tag of the error, or the code of the operating system. */
export const starts = {
  InvalidConfig: explained(
    "reference/settings.md",
    "A setting or an option of `serve` cannot be used.",
    "The line in the log names the setting and what it takes. Change it, and start again."
  ),
  Mistake: explained(
    "guides/agents.md",
    "An option of a component is unknown, missing or of another type, or there is `new Agent(…)` in place of `Agent.make(…)`.",
    "The line in the log names the component, the option and the place in the code."
  ),
  DuplicateIds: explained(
    "guides/agents.md",
    "Two components of one kind have the same id, which is the path of both.",
    "Give one of them another id."
  ),
  DuplicateKnowledge: explained(
    "guides/knowledge.md",
    "Two knowledge bases have the same name and are not the same object.",
    "Export one `Knowledge.make`, and use it in all agents, or give them different names."
  ),
  SandboxMissing: explained(
    "guides/workspace.md",
    "An agent executes commands, and this machine cannot isolate them.",
    "The line in the log says what is missing: install bubblewrap, allow user namespaces, or use another sandbox."
  ),
  UnknownReference: explained(
    "guides/workflows.md",
    "A step or a team names a component that the service does not have.",
    "Add it to `serve`, or correct the id. The line in the log has the path to it."
  ),
  FactoryReference: explained(
    "guides/factories.md",
    "A step or a team names a component that a factory makes. There is no caller for whom to make it.",
    "Use the component itself, or make the workflow in a factory, too."
  ),
  CircularWorkflows: explained(
    "guides/workflows.md",
    "A workflow contains itself, directly or through others.",
    "Remove one of the steps. The line in the log has the circle. `Loop.make` repeats steps."
  ),
  ConflictingDatabases: explained(
    "guides/databases.md",
    "Two database handles have the same id and different settings.",
    "Make one handle, and use it everywhere, or give one of them another id."
  ),
  InvalidDeclarations: explained(
    "guides/declared.md",
    "A schedule, a webhook, a dataset or a service account in code is not valid.",
    "The line in the log names it and its field."
  ),
  KeysUnusable: explained(
    "operate/authorization.md",
    "The keys for the tokens of users cannot be read or used.",
    "Check `JWT_VERIFICATION_KEY` or `JWT_JWKS_FILE`, and that `JWT_ALGORITHM` fits the keys."
  ),
  InvalidDatabaseUrl: explained(
    "guides/databases.md",
    "`DATABASE_URL` is no address of a PostgreSQL.",
    "Set it to `postgres://user:password@host:port/database`, with special characters of the password encoded."
  ),
  DatabaseUnreachable: explained(
    "operate/running.md",
    "The database does not reply, or refuses the user, the password or TLS.",
    "Check host, port, user and password of `DATABASE_URL`, and whether the database accepts this machine."
  ),
  StorageUnavailable: explained(
    "operate/running.md",
    "The database stopped replying while the service started.",
    "Look at the log of the database, and start the service again."
  ),
  SqlError: explained(
    "operate/running.md",
    "The database refused a statement of the start.",
    "The line in the log has its reason: often a right that the user of `DATABASE_URL` lacks."
  ),
  MigrationError: explained(
    "operate/upgrading.md",
    "A change of the tables failed. Nothing of it was stored.",
    "The line in the log has the reason of the database. Correct it, and start again."
  ),
  SchemaTooNew: explained(
    "operate/upgrading.md",
    "A newer version of the service has changed the tables of this database.",
    "Start that version, or restore the backup from before the upgrade."
  ),
  SchemaTooOld: explained(
    "operate/upgrading.md",
    "The database was made before version 0.1.0.",
    "Use an empty database or another `DATA_DIR`."
  ),
  DataDirectoryInUse: explained(
    "operate/running.md",
    "Another process uses the embedded database of `DATA_DIR`, and only one can.",
    "Stop that process, or set another `DATA_DIR`. Several processes share a PostgreSQL."
  ),
  DataDirectoryUnusable: explained(
    "operate/running.md",
    "`DATA_DIR` cannot be read or written.",
    "Give the user of the process its rights, or set another folder."
  ),
  EmbeddedDatabaseFailed: explained(
    "operate/running.md",
    "The embedded database does not start: its files are damaged, or the machine lacks memory.",
    "Restore the last copy of `DATA_DIR`, or start with an empty folder."
  ),
  ServeError: explained(
    "operate/running.md",
    "The service cannot listen on `HOST` and `PORT`.",
    "The line in the log has the code of the operating system, such as `EADDRINUSE`."
  ),
  EADDRINUSE: explained(
    "reference/settings.md",
    "Another program listens on this port.",
    "Stop it, or set `PORT` to a free one."
  ),
  EADDRNOTAVAIL: explained(
    "reference/settings.md",
    "`HOST` is no address of this machine.",
    "Set `HOST` to one, such as 127.0.0.1 or 0.0.0.0."
  ),
  EACCES: explained(
    "reference/settings.md",
    "Ports up to 1023 need rights that the process does not have.",
    "Set `PORT` to one above 1023, such as 7777."
  ),
  ENOTFOUND: explained(
    "reference/settings.md",
    "The name in `HOST` cannot be resolved.",
    "Set `HOST` to an address of this machine, such as 127.0.0.1."
  ),
  EAI_AGAIN: explained(
    "reference/settings.md",
    "The name in `HOST` cannot be resolved at the moment.",
    "Set `HOST` to an address of this machine, such as 127.0.0.1."
  )
} as const satisfies Readonly<Record<string, Explanation>>

/** The response that has the same cause as an error of A2A with this HTTP status. */
export const responseOfStatus: Readonly<Record<number, keyof typeof responses>> = {
  400: "BAD_REQUEST",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  409: "CONFLICT",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE"
}

/** The error that a response with this HTTP status has. */
export const statuses: Readonly<Record<string, keyof typeof responses>> = {
  ...responseOfStatus,
  401: "UNAUTHENTICATED",
  413: "PAYLOAD_TOO_LARGE",
  422: "VALIDATION_ERROR"
}

/** `error` of the authorization server of MCP. */
export const oauth = {
  invalid_request: "A parameter is missing, repeated or not valid.",
  invalid_client: "The client is unknown.",
  invalid_grant: "The code or the refresh token is used, expired, revoked or of another client.",
  invalid_scope: "The client asks for a scope that there is not.",
  invalid_target: "The client asks for a token for another service.",
  unsupported_grant_type: "The server gives tokens for codes and refresh tokens only.",
  unsupported_response_type: "The server gives codes only.",
  invalid_redirect_uri: "The address to return to is not allowed.",
  invalid_client_metadata: "A field of the registration of the client is not valid.",
  temporarily_unavailable: "The server has no room for the request at the moment."
} as const
