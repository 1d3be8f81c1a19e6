// The handlers of stored skills. A SKILL.md that cannot be read is refused with a sentence, and nothing is stored.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { Errors } from "@svc-runtime/api"
import * as Pagination from "@svc-runtime/domain/Pagination"
import { now } from "@svc-runtime/engine/now"
import * as RequestCaller from "@svc-runtime/http/authorization/RequestCaller"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import * as JsonResponse from "@svc-runtime/http/wire/JsonResponse"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Effect, Option, Result } from "effect"
import * as Skill from "./Skill.ts"
import * as SkillReading from "./SkillReading.ts"
import { Skills as Endpoints } from "./SkillsApi.ts"

const notFound = (name: string) => Errors.notFound(`Skill with name '${name}' not found`)

const isName = (name: string): name is Skill.Name => name.length <= 64 && Skill.nameRule.test(name)

const nameOf = (name: string) => isName(name) ? Effect.succeed(name) : Effect.fail(notFound(name))

const readOf = Effect.fnUntraced(function*({ files, text, user_id }: Skill.Input) {
  const read = SkillReading.of(text, files ?? [])
  if (Result.isFailure(read)) return yield* Errors.badRequest(read.failure)
  const created_by = (yield* RequestCaller.ownerOfNew(user_id)) ?? null
  return { skill: read.success, created_at: yield* now, created_by }
})

export const Skills = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const choose = chooseDatabase(yield* Databases)

    return handlers.handleAll({
      list: Effect.fn("Skills.list")(function*({ query }) {
        const { skills } = yield* choose(query)
        const found = yield* skills.list(query)
        return JsonResponse.of(Pagination.response(query, found.skills, found.total))
      }, orUnavailable),
      create: Effect.fn("Skills.create")(function*({ payload, query }) {
        const { skills } = yield* choose(query)
        const given = yield* readOf(payload)
        const { name } = given.skill
        const stored = yield* skills.create(given)
        if (Option.isSome(stored)) return stored.value
        const before = yield* skills.find(name, undefined)
        return yield* Errors.conflict(
          Option.isSome(before)
            ? `There is a skill '${name}'. Store its next version at /skills/${name}/versions`
            : `The service has ${Skill.maxStored} skills, which is the limit. Delete one first`
        )
      }, orUnavailable),
      get: Effect.fn("Skills.get")(function*({ params: { skill_name }, query }) {
        const { skills } = yield* choose(query)
        const found = yield* skills.find(yield* nameOf(skill_name), query.version)
        return Option.isSome(found) ? found.value : yield* notFound(skill_name)
      }, orUnavailable),
      versions: Effect.fn("Skills.versions")(function*({ params: { skill_name }, query }) {
        const { skills } = yield* choose(query)
        const found = yield* skills.versions(yield* nameOf(skill_name))
        return found.length === 0 ? yield* notFound(skill_name) : JsonResponse.of(found)
      }, orUnavailable),
      addVersion: Effect.fn("Skills.addVersion")(function*({ params: { skill_name }, payload, query }) {
        const { skills } = yield* choose(query)
        const name = yield* nameOf(skill_name)
        const given = yield* readOf(payload)
        if (given.skill.name !== name) {
          return yield* Errors.badRequest(
            `SKILL.md: its name is '${given.skill.name}', and this skill is '${name}'. Change one of them`
          )
        }
        const stored = yield* skills.addVersion(given)
        if (Option.isSome(stored)) return stored.value
        const before = yield* skills.find(name, undefined)
        if (Option.isNone(before)) return yield* notFound(name)
        return yield* Errors.conflict(
          `Another version of the skill '${name}' was stored at the same time. Send it again`
        )
      }, orUnavailable),
      remove: Effect.fn("Skills.remove")(function*({ params: { skill_name }, query }) {
        const { skills } = yield* choose(query)
        if (yield* skills.remove(yield* nameOf(skill_name))) return
        return yield* notFound(skill_name)
      }, orUnavailable)
    })
  })
)
