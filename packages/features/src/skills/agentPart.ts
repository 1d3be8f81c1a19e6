// What skills add to agents: the option `skills`, their names and descriptions in the system message, and two tools
// with which a model reads them.
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import { asData, type ContextSource } from "@svc-runtime/agents/agent/execute/context/ContextSource"
import { given, type RunPart, type ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { charactersOf } from "@svc-runtime/domain/Tokens"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Context, Effect, Option, Schema } from "effect"
import type * as Skill from "./Skill.ts"
import * as SkillOption from "./SkillOption.ts"
import { SkillStore } from "./SkillStore.ts"

type About = Pick<Skill.About, "description" | "name">

/** The skills of a run. */
interface RunSkills {
  readonly names: ReadonlyArray<string>
  readonly about: Effect.Effect<ReadonlyArray<About>, StorageUnavailable>
  readonly find: (name: string) => Effect.Effect<Option.Option<Skill.Content>, StorageUnavailable>
}

export class CurrentSkills extends Context.Service<CurrentSkills, RunSkills | undefined>()(
  "@svc-runtime/features/skills/agentPart/CurrentSkills"
) {}

class SkillUnusable extends Schema.TaggedError<SkillUnusable>()("SkillUnusable", { message: Schema.String }) {}

const skillOf = Effect.fnUntraced(function*(name: string) {
  const skills = yield* given(CurrentSkills)
  const found = skills === undefined ? Option.none() : yield* skills.find(name)
  if (Option.isSome(found)) return found.value
  const names = skills === undefined || skills.names.length === 0 ? "none" : skills.names.join(", ")
  return yield* new SkillUnusable({ message: `There is no skill '${name.slice(0, 80)}'. The skills are: ${names}` })
})

/** Characters of one result. The limit of tool results can cut it further. */
const pageLength = 50_000

const page = (text: string, from: number): string => {
  const end = Math.min(text.length, from + pageLength)
  const shown = text.slice(from, end).toWellFormed()
  return end === text.length && from === 0
    ? shown
    : `${shown}\n(Characters ${from} to ${end} of ${text.length}${
      end < text.length ? `: read on with from: ${end}` : ""
    })`
}

const name = Schema.String.annotate({ description: "The name of the skill" })
const from = Schema.optionalKey(Schema.Natural.annotate({ description: "The first character, 0 when left out" }))

const whole = ({ allowed_tools, files, instructions }: Skill.Content): string =>
  [
    instructions,
    ...(allowed_tools.length === 0 ? [] : [`Tools that it is for: ${allowed_tools.join(", ")}`]),
    ...(files.length === 0 ? [] : [
      `Its files, for read_skill_file:\n${
        files.map(({ content, path }) => `- ${path} (${content.length} characters)`).join("\n")
      }`
    ])
  ].join("\n\n")

const tools: ReadonlyArray<Tool.Tool> = [
  Tool.make({
    name: "load_skill",
    description: "Reads the instructions of a skill, before a task that the skill is for",
    parameters: Schema.Struct({ name, from }),
    effects: "read",
    execute: Effect.fnUntraced(function*({ from = 0, name }) {
      return page(whole(yield* skillOf(name)), from)
    })
  }),
  Tool.make({
    name: "read_skill_file",
    description: "Reads a file that the instructions of a skill name",
    parameters: Schema.Struct({
      name,
      path: Schema.String.annotate({ description: "The path of the file in the skill" }),
      from
    }),
    effects: "read",
    execute: Effect.fnUntraced(function*({ from = 0, name, path }) {
      const { files } = yield* skillOf(name)
      const wanted = path.replace(/^(?:\.\/)+/, "")
      const file = files.find((each) => each.path === wanted)
      if (file !== undefined) return page(file.content, from)
      const paths = files.length === 0 ? "none" : files.map((each) => each.path).join(", ")
      return yield* new SkillUnusable({
        message: `The skill '${name}' has no file '${path.slice(0, 255)}'. Its files are: ${paths}`
      })
    })
  })
]

/** Of the list in the system message. */
const tokens = 8000

const heading = "Instructions for certain tasks. Before such a task, read the instructions with load_skill:"

/** Descriptions that do not fit any more are left out, and names stay. */
const render = (skills: ReadonlyArray<About>): string | undefined => {
  if (skills.length === 0) return undefined
  let left = charactersOf(tokens) - heading.length - 100 - skills.length * 70
  const lines = skills.map(({ description, name }) => {
    const text = asData(description)
    left -= text.length
    return left < 0 ? `- ${name}` : `- ${name}: ${text}`
  })
  return `<skills>\n${heading}\n${lines.join("\n")}\n</skills>`
}

const source = ({ about }: RunSkills): ContextSource => ({
  name: "skills",
  tokens,
  section: () => Effect.map(about, render)
})

const make = ({ own, stored }: SkillOption.AgentSkills, store: SkillStore["Service"]): RunSkills => ({
  names: [...own.keys(), ...stored],
  about: stored.length === 0
    ? Effect.succeed([...own.values()])
    : Effect.map(store.about(stored), (found) => [...own.values(), ...found]),
  find: (name) => {
    const skill = own.get(name)
    if (skill !== undefined) return Effect.succeedSome(skill)
    const known = stored.find((each) => each === name)
    return known === undefined ? Effect.succeedNone : store.find(known, undefined)
  }
})

declare module "@svc-runtime/agents/agent/define/AgentPart" {
  interface FeatureOptions {
    /**
     * Instructions that the model reads when it needs them: `Skills.fromFolder`, `Skills.make`, or names of stored
     * ones.
     */
    readonly skills?: ReadonlyArray<SkillOption.SkillRef> | undefined
  }
  interface FeatureSettings {
    readonly skills: SkillOption.AgentSkills | undefined
  }
}

export const part: AgentPart = {
  name: "skills",
  options: { skills: "list" },
  define: ({ skills: given }, owner) => {
    const skills = SkillOption.make(owner.name, given)
    return skills === undefined ? { settings: {}, tools: [] } : { settings: { skills }, tools }
  },
  isUsed: ({ skills }) => skills !== undefined
}

export const forAgent = Effect.map(
  SkillStore,
  (store): ServedPart["forAgent"] => ({ skills }) =>
    Effect.succeed((): RunPart => {
      const run = skills === undefined ? undefined : make(skills, store)
      return { order: 10, sources: run === undefined ? [] : [source(run)], gives: CurrentSkills.context(run) }
    })
)
