// Prompts: texts that several agents use as parts of their instructions.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, Invalid, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as StoredPrompt from "./StoredPrompt.ts"

/** As the database counts them. */
const maxVersion = 2 ** 31 - 1

const params = { prompt_name: Schema.String }
const errors = [BadRequest, NotFound, Unavailable] as const

export class Prompts extends HttpApiGroup.make("prompts")
  .add(
    HttpApiEndpoint.get("list", "/prompts", {
      query: Listing.pages({ limit: 20, maximum: 100 }),
      success: Pagination.page(StoredPrompt.Listed, "PaginatedPrompts"),
      error: errors
    })
      .annotateMerge(requires("prompts:read"))
      .annotate(OpenApi.Identifier, "list_prompts"),
    HttpApiEndpoint.post("create", "/prompts", {
      payload: StoredPrompt.Create,
      success: StoredPrompt.Prompt.pipe(HttpApiSchema.status(201)),
      error: [...errors, Conflict, Forbidden, Invalid]
    })
      .annotateMerge(requires("prompts:write"))
      .annotate(OpenApi.Identifier, "create_prompt"),
    HttpApiEndpoint.get("get", "/prompts/:prompt_name", {
      params,
      query: {
        version: Schema.optionalKey(
          Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: maxVersion }))
        )
      },
      success: StoredPrompt.Detail,
      error: errors
    })
      .annotateMerge(requires("prompts:read"))
      .annotate(OpenApi.Identifier, "get_prompt"),
    HttpApiEndpoint.get("versions", "/prompts/:prompt_name/versions", {
      params,
      success: Schema.Array(StoredPrompt.Listed),
      error: errors
    })
      .annotateMerge(requires("prompts:read"))
      .annotate(OpenApi.Identifier, "list_prompt_versions"),
    HttpApiEndpoint.post("addVersion", "/prompts/:prompt_name/versions", {
      params,
      payload: StoredPrompt.Version,
      success: StoredPrompt.Prompt.pipe(HttpApiSchema.status(201)),
      error: [...errors, Conflict, Forbidden, Invalid]
    })
      .annotateMerge(requires("prompts:write"))
      .annotate(OpenApi.Identifier, "create_prompt_version"),
    HttpApiEndpoint.delete("remove", "/prompts/:prompt_name", {
      params,
      success: HttpApiSchema.NoContent,
      error: [...errors, Conflict, Invalid]
    })
      .annotateMerge(requires("prompts:delete"))
      .annotate(OpenApi.Identifier, "delete_prompt")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(
    OpenApi.annotations({ title: "Prompts", description: "Texts that several agents use in their instructions" })
  )
{}

const text = "Write as {{brand|our shop}} does: short, and friendly."

const ofEach = ["Prompt", "PromptDetail", "PromptSummary"].map((schema): NonNullable<Texts["fields"]> => ({
  [`${schema}.name`]: ["Name of the prompt", "tone"],
  [`${schema}.version`]: ["Number of the version", 1],
  [`${schema}.created_by`]: ["Who stored the version", "ann"]
}))

const ofWhole = ["Prompt", "PromptDetail"].map((schema): NonNullable<Texts["fields"]> => ({
  [`${schema}.text`]: ["The text", text],
  [`${schema}.variables`]: "Names of the variables in the text",
  [`${schema}.includes`]: "The prompts that the text includes",
  [`${schema}.declared`]: "Whether the code of the application declares it"
}))

export const texts: Texts = {
  operations: {
    list_prompts: { summary: "List the prompts", description: "Returns the latest version of each prompt, by name." },
    create_prompt: {
      summary: "Create a prompt",
      description: "Stores the first version of a prompt.",
      body: { name: "tone", text }
    },
    get_prompt: {
      summary: "Get a prompt",
      description: "Returns a version of a prompt, the latest one if none is named, and what uses the prompt."
    },
    list_prompt_versions: {
      method: "versions",
      summary: "List the versions of a prompt",
      description: "Returns the versions of a prompt, the newest first."
    },
    create_prompt_version: {
      method: "addVersion",
      summary: "Change a prompt",
      description: "Stores the next version of a prompt. New runs use it on each node after two seconds.",
      body: { text }
    },
    delete_prompt: {
      summary: "Delete a prompt",
      description: "Removes a prompt with all its versions. One that is used is not removed."
    }
  },
  fields: {
    prompt_name: ["Name of the prompt", "tone"],
    ...Object.assign({}, ...ofEach, ...ofWhole) as NonNullable<Texts["fields"]>,
    "PromptDetail.used_by": "What includes the prompt",
    "PromptUser.kind": ["Kind of what includes the prompt", "agent"],
    "PromptUser.id": ["Id of the component, or name of the prompt", "desk"],
    "PromptUser.version": ["The version that includes it; null if it is in code", 2],
    "PromptInput.name": ["Name of the prompt", "tone"],
    "PromptInput.text": ["The text", text],
    "PromptVersionInput.text": ["The text", text]
  }
}
