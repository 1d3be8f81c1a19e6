// Skills that are stored over the API.
import type { Texts } from "@svc-runtime/api/documentation/Texts"
import { BadRequest, Conflict, Forbidden, NotFound, Unavailable } from "@svc-runtime/api/Errors"
import { Authorization } from "@svc-runtime/api/middleware/Authorization"
import { ContractErrors } from "@svc-runtime/api/middleware/ContractErrors"
import { onlyKnownFields } from "@svc-runtime/api/OnlyKnownFields"
import { database } from "@svc-runtime/api/query/DatabaseQuery"
import * as Listing from "@svc-runtime/api/query/Listing"
import { requires } from "@svc-runtime/api/RequiredScope"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Skill from "./Skill.ts"

const { db_id } = database
/** As the database counts them. */
const maxVersion = 2 ** 31 - 1

const params = { skill_name: Schema.String }
const errors = [BadRequest, NotFound, Unavailable] as const

export class Skills extends HttpApiGroup.make("skills")
  .add(
    HttpApiEndpoint.get("list", "/skills", {
      query: { ...Listing.pages({ limit: 20, maximum: 100 }), db_id },
      success: Pagination.page(Skill.Listed, "PaginatedSkills"),
      error: errors
    })
      .annotateMerge(requires("skills:read"))
      .annotate(OpenApi.Identifier, "list_skills"),
    HttpApiEndpoint.post("create", "/skills", {
      query: { db_id },
      payload: Skill.Input,
      success: Skill.Stored.pipe(HttpApiSchema.status(201)),
      error: [...errors, Conflict, Forbidden]
    })
      .annotateMerge(requires("skills:write"))
      .annotate(OpenApi.Identifier, "create_skill"),
    HttpApiEndpoint.get("get", "/skills/:skill_name", {
      params,
      query: {
        version: Schema.optionalKey(
          Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: maxVersion }))
        ),
        db_id
      },
      success: Skill.Stored,
      error: errors
    })
      .annotateMerge(requires("skills:read"))
      .annotate(OpenApi.Identifier, "get_skill"),
    HttpApiEndpoint.get("versions", "/skills/:skill_name/versions", {
      params,
      query: { db_id },
      success: Schema.Array(Skill.Listed),
      error: errors
    })
      .annotateMerge(requires("skills:read"))
      .annotate(OpenApi.Identifier, "list_skill_versions"),
    HttpApiEndpoint.post("addVersion", "/skills/:skill_name/versions", {
      params,
      query: { db_id },
      payload: Skill.Input,
      success: Skill.Stored.pipe(HttpApiSchema.status(201)),
      error: [...errors, Conflict, Forbidden]
    })
      .annotateMerge(requires("skills:write"))
      .annotate(OpenApi.Identifier, "create_skill_version"),
    HttpApiEndpoint.delete("remove", "/skills/:skill_name", {
      params,
      query: { db_id },
      success: HttpApiSchema.NoContent,
      error: errors
    })
      .annotateMerge(requires("skills:delete"))
      .annotate(OpenApi.Identifier, "delete_skill")
  )
  .middleware(ContractErrors)
  .middleware(Authorization)
  .annotateMerge(onlyKnownFields)
  .annotateMerge(
    OpenApi.annotations({ title: "Skills", description: "Instructions that models read when they need them" })
  )
{}

const text = "---\nname: refunds\ndescription: How to pay an order back\n---\nAsk for the number of the order first."
const body = { text, files: [{ path: "reasons.md", content: "Damaged, late, or wrong." }] }

const ofBoth = (schema: "Skill" | "SkillSummary"): NonNullable<Texts["fields"]> => ({
  [`${schema}.name`]: ["Name of the skill", "refunds"],
  [`${schema}.description`]: ["When the skill helps", "How to pay an order back"],
  [`${schema}.license`]: ["License of the skill", "MIT"],
  [`${schema}.compatibility`]: "What the skill needs",
  [`${schema}.allowed_tools`]: "Tools that the skill is for",
  [`${schema}.metadata`]: "Further fields of the SKILL.md",
  [`${schema}.version`]: ["Number of the version", 1],
  [`${schema}.created_by`]: ["Who stored the version", "ann"]
})

export const texts: Texts = {
  operations: {
    list_skills: { summary: "List the skills", description: "Returns the latest version of each skill, by name." },
    create_skill: {
      summary: "Create a skill",
      description: "Stores a skill. Its name and its description are in the text of its SKILL.md.",
      body
    },
    get_skill: { summary: "Get a skill", description: "Returns a skill with its instructions and files." },
    list_skill_versions: {
      method: "versions",
      summary: "List the versions of a skill",
      description: "Returns the versions of a skill, the newest first."
    },
    create_skill_version: {
      method: "addVersion",
      summary: "Change a skill",
      description: "Stores the next version of a skill. Runs that begin after it read that version.",
      body
    },
    delete_skill: { summary: "Delete a skill", description: "Removes a skill with all its versions." }
  },
  fields: {
    skill_name: ["Name of the skill", "refunds"],
    ...ofBoth("Skill"),
    ...ofBoth("SkillSummary"),
    "Skill.instructions": ["What follows the fields in the SKILL.md", "Ask for the number of the order first."],
    "Skill.files": "The other files",
    "SkillInput.text": ["The whole SKILL.md", text],
    "SkillInput.files": "The other files, by their paths",
    "SkillFile.path": ["Path in the skill", "reasons.md"],
    "SkillFile.content": ["Text of the file", "Damaged, late, or wrong."]
  }
}
