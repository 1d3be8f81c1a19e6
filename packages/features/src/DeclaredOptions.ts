// Checks what an application declares when it is given, as the options of components are checked.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import type { Duration } from "effect"
import type * as AccountDeclaration from "./declarations/DeclaredAccounts.ts"
import * as DeclaredComponent from "./declarations/DeclaredComponent.ts"
import type * as DatasetDeclaration from "./evaluation/DeclaredDatasets.ts"
import type { Declarable } from "./Feature.ts"
import type * as ScheduleDeclaration from "./schedules/DeclaredSchedules.ts"
import type * as WebhookDeclaration from "./webhooks/DeclaredWebhooks.ts"

type KeyOf<A> = A extends unknown ? keyof A : never

const schedule: AuthorOptions.Kinds<KeyOf<ScheduleDeclaration.Declaration>> = {
  name: "text",
  description: "text",
  cron: "text",
  timezone: "text",
  component: "any",
  endpoint: "text",
  method: "text",
  payload: "object",
  timeout: "any",
  maxRetries: "any",
  retryDelay: "any",
  catchUp: "text",
  catchUpWindow: "any",
  overlap: "text",
  jitter: "any"
}

const webhook: AuthorOptions.Kinds<KeyOf<WebhookDeclaration.Declaration>> = {
  name: "text",
  url: "text",
  events: "list",
  secret: "any",
  component: "any",
  description: "text"
}

const dataset: AuthorOptions.Kinds<KeyOf<DatasetDeclaration.Declaration>> = {
  name: "text",
  description: "text",
  items: "list"
}

const item: AuthorOptions.Kinds<KeyOf<DatasetDeclaration.ItemDeclaration>> = {
  id: "text",
  input: "any",
  expectedOutput: "any",
  expectedToolCalls: "list",
  metadata: "object"
}

const account: AuthorOptions.Kinds<KeyOf<AccountDeclaration.Declaration>> = {
  name: "text",
  token: "any",
  scopes: "list"
}

const labels = {
  schedules: "The schedule",
  webhooks: "The webhook",
  datasets: "The dataset",
  serviceAccounts: "The service account"
} as const

const durations = ["timeout", "retryDelay", "catchUpWindow", "jitter"] as const

const checkSchedule = (owner: string, given: ScheduleDeclaration.Declaration): void => {
  DeclaredComponent.check(owner, given.component)
  if ((given.component === undefined) === (given.endpoint === undefined)) {
    throw new Mistake(
      `${owner} needs a component or an endpoint, and has ${given.component === undefined ? "none" : "both"}`
    )
  }
  if (given.cron === undefined) {
    throw new Mistake(`${owner} has no cron. Give it a cron expression, such as '0 9 * * *'`)
  }
  for (const name of durations) {
    const value: Duration.Input | undefined = given[name]
    if (value !== undefined) Validate.duration(owner, name, value)
  }
}

const checkList = <A>(
  list: keyof Declarable,
  all: ReadonlyArray<A> | undefined,
  kinds: AuthorOptions.Kinds<KeyOf<A>>,
  further: (owner: string, declared: A) => void
): void => {
  for (const [index, declared] of (all ?? []).entries()) {
    const owner = AuthorOptions.ownerOf(labels[list], declared, "name")
    AuthorOptions.check(owner, declared, kinds)
    if ((declared as { readonly name?: string }).name === undefined) {
      throw new Mistake(`${list}[${index}] has no name. Give it one: it identifies the resource`)
    }
    further(owner, declared)
  }
}

/** Throws for options that are no options of a declaration, and for values of another kind. */
export const check = ({ datasets, schedules, serviceAccounts, webhooks }: Declarable): void => {
  checkList("schedules", schedules, schedule, checkSchedule)
  checkList("webhooks", webhooks, webhook, (owner, { component, events }) => {
    DeclaredComponent.check(owner, component)
    if (events === undefined) throw new Mistake(`${owner} has no events. Give it a list, such as ['run.failed']`)
  })
  checkList("datasets", datasets, dataset, (owner, { items }) => {
    if (items === undefined) throw new Mistake(`${owner} has no items. Give it a list, such as [{ input: "1 + 1" }]`)
    for (const [index, each] of items.entries()) {
      AuthorOptions.check(`${owner}: items[${index}]`, each, item)
    }
  })
  checkList("serviceAccounts", serviceAccounts, account, () => {})
}
