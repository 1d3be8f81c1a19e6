// Rollouts of stored components, and the comparison of their versions. They are beyond the contract.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { owner } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Component from "@svc-runtime/domain/Component"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Rollout from "./Rollout.ts"
import * as VersionFigures from "./VersionFigures.ts"

const params = { component_id: Component.Id }
const reads = [NotFound, Unavailable] as const
const writes = [...reads, Conflict, Invalid] as const
const text = Schema.optionalKey(Schema.String)

export class Rollouts extends HttpApiGroup.make("rollouts")
  .add(
    HttpApiEndpoint.get("get", "/components/:component_id/rollout", {
      params,
      success: Rollout.Rollout,
      error: reads
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "get_rollout"),
    HttpApiEndpoint.post("start", "/components/:component_id/rollout", {
      params,
      payload: Rollout.Create,
      success: Rollout.Rollout.pipe(HttpApiSchema.status(201)),
      error: writes
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "start_rollout"),
    HttpApiEndpoint.patch("update", "/components/:component_id/rollout", {
      params,
      payload: Rollout.Patch,
      success: Rollout.Rollout,
      error: writes
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "update_rollout"),
    HttpApiEndpoint.post("stop", "/components/:component_id/rollout/stop", {
      params,
      payload: Rollout.Stop,
      success: Rollout.Rollout,
      error: [...reads, Conflict]
    })
      .annotateMerge(requires("components:write"))
      .annotate(OpenApi.Identifier, "stop_rollout"),
    HttpApiEndpoint.get("list", "/components/:component_id/rollouts", {
      params,
      query: Listing.pages({ limit: 20, maximum: 100 }),
      success: Pagination.page(Rollout.Rollout, "PaginatedRollouts"),
      error: Unavailable
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "list_rollouts"),
    HttpApiEndpoint.get("compare", "/components/:component_id/versions/compare", {
      params,
      query: { since: text, until: text, ...owner },
      success: VersionFigures.Comparison,
      error: [...reads, BadRequest]
    })
      .annotateMerge(requires("components:read"))
      .annotate(OpenApi.Identifier, "compare_versions")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(
    OpenApi.annotations({
      title: "Rollouts",
      description: "Shares of new runs for versions of stored components. Beyond the contract"
    })
  )
{}

const body = {
  versions: [{ version: 1, share: 90 }, { version: 2, share: 10 }],
  guard: { max_error_rate: 0.1 }
}

export const texts: Texts = {
  operations: {
    get_rollout: {
      method: "get",
      summary: "Get the rollout of a component",
      description: "Returns the newest rollout of the component, with its history, also when it has ended."
    },
    start_rollout: {
      method: "start",
      summary: "Start a rollout",
      description: "Gives published versions shares of the new runs. Each session or user keeps its version.",
      body
    },
    update_rollout: {
      method: "update",
      summary: "Change a rollout",
      description: "Changes the shares or the guard. A rollout that the guard has stopped continues with new shares.",
      body: { versions: [{ version: 1, share: 80 }, { version: 2, share: 20 }] }
    },
    stop_rollout: {
      method: "stop",
      summary: "Stop a rollout",
      description: "Ends the rollout. All new runs get the current version.",
      body: { reason: "The answers are too long" }
    },
    list_rollouts: {
      method: "list",
      summary: "List the rollouts of a component",
      description: "Returns the rollouts with their histories, the newest first."
    },
    compare_versions: {
      method: "compare",
      summary: "Compare the versions of a component",
      description:
        "Returns runs, errors, durations, tokens, cost and scores of each version, of runs that ended in the last " +
        "seven days or in another time."
    }
  },
  fields: {
    share: ["Share of new runs in percent, with two decimals at most", 10],
    sticky: "What keeps its version: each session, or each user in all sessions",
    guard: "Limits of the versions. A version beyond one loses its share. Null: none",
    max_error_rate: ["Part of the runs that may fail", 0.1],
    max_p95_seconds: ["Seconds that 95 of 100 runs may take", 30],
    max_cost: ["US dollars that a run may cost", 0.05],
    min_score: ["Mean score that the version has to have", 0.7],
    score_key: ["Key of the scores that count. Null: all", "helpful"],
    max_error_rate_increase: ["How much higher than that of the current version the error rate may be", 0.05],
    max_p95_ratio: ["How many times the duration of the current version is allowed", 1.5],
    max_cost_ratio: ["How many times the cost of the current version is allowed", 1.5],
    min_score_ratio: ["How many times the score of the current version is needed", 0.9],
    min_runs: ["Runs or scores from which on a limit counts", 20],
    window_seconds: ["Seconds before now in which the runs that count have ended", 3600],
    base_version: ["The current version, which gets what a stopped version loses", 1],
    stopped_reason: "Why the guard took the share of the version. Null: it did not",
    history: "What happened to the rollout, the newest last",
    is_current: "Whether it is the current version",
    cost_per_run: ["Mean cost of a run in US dollars", 0.004],
    mean: ["Mean of the scores. Null: they are labels", 0.8],
    "ComparedVersion.version": ["Number of the version", 2],
    "RolloutShare.version": ["Number of a published version", 2],
    "RolloutVersion.version": ["Number of the version", 2],
    "VersionComparison.versions": "What the runs of each version were like",
    is_complete: "Whether all runs of the time were read",
    "Rollout.id": ["Id of the rollout", "rollout-1"],
    "Rollout.state": "active, stopped by its guard, or ended",
    "Rollout.reason": "Why it was stopped or ended",
    "Rollout.versions": "The versions with their shares",
    "Rollout.revision": "Rises with each change",
    "RolloutCreate.versions": "The versions with their shares, which are 100 percent together",
    "RolloutUpdate.versions": "The versions with their shares, which are 100 percent together",
    "RolloutUpdate.revision": "The change is refused if the rollout has another revision",
    "RolloutStop.reason": ["Why, for the history", "The answers are too long"],
    "RolloutEntry.at": "When it happened",
    "RolloutEntry.by": ["User of the caller. Null: the service, or a caller without a user", "ann"],
    "RolloutEntry.action": "What happened",
    "RolloutEntry.reason": "What happened, as a sentence",
    "RolloutEntry.versions": "The shares after it"
  }
}
