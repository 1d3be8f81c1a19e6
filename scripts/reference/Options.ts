// The page of options: of each function that takes options, the members of their type with their docstrings.
import { type Member, optionsOf } from "./Types.ts"

interface Entry {
  readonly title: string
  readonly file: string
  readonly type: string
  /** What it makes, and the guide that shows it. */
  readonly about: string
  /** An earlier entry, whose options this one takes too. */
  readonly beside?: string
}

const agents = "packages/agents/src"
const engine = "packages/engine/src"
const features = "packages/features/src"
const server = "packages/server/src"
const testing = "packages/testing/src"

const step = (name: string, about: string): Entry => ({
  title: `${name}.make`,
  file: `${agents}/workflow/define/${name}.ts`,
  type: "Options",
  about,
  beside: "Steps.make"
})

const guardrail = (name: string, type: string, about: string): Entry => ({
  title: `Guardrail.${name}`,
  file: `${agents}/guardrail/Guardrail.ts`,
  type,
  about
})

const source = (name: string, about: string): Entry => ({
  title: `${name}.make`,
  file: `${features}/knowledge/sources/${name}.ts`,
  type: "Options",
  about,
  ...(name === "S3Source" ? {} : { beside: "S3Source.make" })
})

const sections: ReadonlyArray<readonly [title: string, entries: ReadonlyArray<Entry>]> = [
  ["Components", [
    {
      title: "Agent.make",
      file: `${agents}/agent/define/Agent.ts`,
      type: "Options",
      about: "An [agent](../guides/agents.md)."
    },
    {
      title: "Team.make",
      file: `${agents}/team/Team.ts`,
      type: "Options",
      about: "A [team](../guides/teams.md).",
      beside: "Agent.make"
    },
    {
      title: "Workflow.make",
      file: `${agents}/workflow/Workflow.ts`,
      type: "Settings & Body",
      about: "A [workflow](../guides/workflows.md): either `steps` or `run`."
    },
    {
      title: "RemoteAgent.a2a",
      file: `${agents}/agent/remote/RemoteAgent.ts`,
      type: "Options",
      about: "An [agent of another service](../guides/a2a.md)."
    },
    {
      title: "AgentFactory.make",
      file: `${agents}/factory/Factory.ts`,
      type: "Options",
      about: "A [factory](../guides/factories.md). `TeamFactory.make` and `WorkflowFactory.make` take the same."
    }
  ]],
  ["Steps of workflows", [
    {
      title: "Step.make",
      file: `${agents}/workflow/define/Step.ts`,
      type: "Settings & Body",
      about: "A [step](../guides/workflows.md): one of `run`, `agent`, `team` and `workflow`."
    },
    {
      title: "Steps.make",
      file: `${agents}/workflow/define/Steps.ts`,
      type: "Options",
      about: "A sequence as one step."
    },
    step("Parallel", "Steps side by side."),
    step("Condition", "Steps for a condition."),
    step("Loop", "Steps that repeat."),
    step("Router", "A choice of steps: either `selector` or `selection`."),
    { ...step("ForEach", "Steps for each item of a list."), type: "Options & Items?" }
  ]],
  ["Tools", [
    {
      title: "Tool.make",
      file: `${engine}/tool/Tool.ts`,
      type: "Options",
      about: "A [tool](../guides/tools.md)."
    },
    {
      title: "AiSdkTool.make",
      file: `${engine}/tool/AiSdkTool.ts`,
      type: "Options",
      about: "A tool of the AI SDK: the options after its name and the tool.",
      beside: "Tool.make"
    },
    {
      title: "ComponentTool.make",
      file: `${agents}/nested/ComponentTool.ts`,
      type: "Options",
      about: "A component as a tool.",
      beside: "Tool.make"
    },
    {
      title: "McpTools.make",
      file: `${server}/mcpClient/McpTools.ts`,
      type: "Options",
      about: "The tools of an [MCP server](../guides/tools.md#mcp-servers): either `url` or `command`.",
      beside: "Tool.make"
    },
    {
      title: "McpServerTool.make",
      file: "packages/http/src/mcpTool/CustomTool.ts",
      type: "Options",
      about: "A tool of the [MCP server](../guides/mcp.md) of the service."
    },
    {
      title: "Skills.make",
      file: `${features}/skills/Skills.ts`,
      type: "Options",
      about: "A [skill](../guides/skills.md) of texts."
    },
    {
      title: "Skills.fromSource",
      file: `${features}/skills/Skills.ts`,
      type: "SourceOptions",
      about: "The [skills](../guides/skills.md) of a content source: the options after the source."
    },
    {
      title: "Workspace.make",
      file: `${features}/workspace/Workspace.ts`,
      type: "Options",
      about: "[Files and commands](../guides/workspace.md) of an agent."
    },
    {
      title: "Sandbox.local",
      file: `${features}/workspace/Sandbox.ts`,
      type: "LocalOptions",
      about: "[Commands](../guides/workspace.md#where-commands-are-executed) on the machine of the service."
    }
  ]],
  ["Hooks and guardrails", [
    {
      title: "preHooks and postHooks",
      file: `${agents}/agent/define/Hook.ts`,
      type: "Hook",
      about: "[Checks](../guides/hooks.md) of the input or of the answer."
    },
    {
      title: "hooks",
      file: `${agents}/agent/define/Hook.ts`,
      type: "RunHook",
      about: "[Functions around a run](../guides/hooks.md)."
    },
    guardrail("pii", "PiiOptions", "Masks or rejects personal data."),
    guardrail("secrets", "MaskingOptions", "Masks or rejects credentials."),
    guardrail("promptInjection", "CheckingOptions", "Finds instructions that are meant for the model."),
    guardrail("length", "LengthOptions", "Limits the length of texts."),
    guardrail("language", "LanguageOptions", "Allows languages."),
    guardrail("topics", "TopicsOptions", "Lets a model judge the topic."),
    guardrail("moderation", "ModerationOptions", "Uses the moderation of OpenAI.")
  ]],
  ["Knowledge", [
    {
      title: "Knowledge.make",
      file: `${features}/knowledge/KnowledgeBase.ts`,
      type: "Options",
      about: "A [knowledge base](../guides/knowledge.md)."
    },
    { title: "Reader.make", file: `${features}/knowledge/Reader.ts`, type: "Options", about: "Reads files." },
    { title: "Chunker.make", file: `${features}/knowledge/Chunker.ts`, type: "Options", about: "Divides texts." },
    source("S3Source", "A bucket of S3."),
    source("GcsSource", "A bucket of Google Cloud Storage."),
    source("AzureBlobSource", "A container of Azure."),
    source("GitHubSource", "A repository of GitHub."),
    source("SharePointSource", "A library of SharePoint.")
  ]],
  ["The service", [
    {
      title: "serve",
      file: `${server}/application/ApplicationOptions.ts`,
      type: "Options",
      about: "A [service](../operate/running.md). `run` and `Application.make` take the same."
    },
    {
      title: "Route.make",
      file: `${server}/routes/Route.ts`,
      type: "Options",
      about: "A [route](../guides/routes.md). `Route.get`, `post` and others set the method."
    },
    {
      title: "JobKind.make",
      file: `${engine}/jobs/JobKind.ts`,
      type: "Options",
      about: "A kind of [background jobs](../guides/jobs.md)."
    },
    {
      title: "DatabaseHandle.postgres",
      file: `${engine}/DatabaseHandle.ts`,
      type: "PostgresOptions",
      about: "A [database](../guides/databases.md) of a component."
    },
    {
      title: "DatabaseHandle.embedded",
      file: `${engine}/DatabaseHandle.ts`,
      type: "EmbeddedOptions",
      about: "A database in a folder or in memory."
    }
  ]],
  ["Tests and programs", [
    {
      title: "testService",
      file: `${testing}/TestService.ts`,
      type: "TestServiceOptions",
      about: "A service in memory for [tests](../guides/testing.md).",
      beside: "serve"
    },
    {
      title: "scriptedModel",
      file: `${testing}/ScriptedModel.ts`,
      type: "Options",
      about: "The options after the turns of a scripted model."
    },
    {
      title: "recordedModel",
      file: `${testing}/RecordedModel.ts`,
      type: "RecordedModelOptions",
      about: "A model whose answers are in a file."
    },
    {
      title: "Local.configure",
      file: `${server}/local/LocalOptions.ts`,
      type: "LocalOptions",
      about:
        "Components [in a program](../guides/agents.md#in-a-script), without a service. `Local.layer` takes the same.",
      beside: "serve"
    }
  ]]
]

/** The entries with their options. */
export const entries = () =>
  sections.map(([title, all]) => ({
    title,
    entries: all.map((entry) => ({ ...entry, options: optionsOf(entry.file, entry.type) }))
  }))

/** The anchor of a heading. */
const anchor = (title: string): string => title.toLowerCase().replaceAll(".", "").replaceAll(" ", "-")

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** Names of types that say less to a reader than these words. */
const words: Readonly<Record<string, string>> = {
  AnySchema: "schema",
  AnyWorkflow: "Workflow",
  Codec: "schema",
  EmbedderRef: "embedder",
  Encoded: "object",
  Exclude: "model",
  Given: "tool",
  InnerComponent: "component",
  Input: "duration",
  Inside: "steps",
  JsonSchema: "JSON Schema",
  ModelRef: "model",
  NonNullable: "string",
  Object: "JSON object",
  Policy: "string",
  Secret: "string | Redacted",
  SkillRef: "skill",
  Value: "JSON"
}

const generics: Readonly<Record<string, string>> = {
  Choices: "steps",
  Elements: "steps",
  Fits: "steps",
  Inner: "steps",
  Name: "string",
  Path: "string",
  R: "schemas",
  S: "schema",
  Steps: "steps"
}

const typeOf = (type: string): string => {
  const members = type.split(" | ")
  if (members.includes("function")) {
    return [...members.filter((one) => one !== "function").map(typeOf), "function"].join(" | ")
  }
  if (type.includes("=>")) return "function"
  const plain = type
    .replaceAll(/\b\w+\.(?=[A-Z])/g, "")
    .replaceAll(/\bNoInfer<(\w+)>/g, "$1")
    .replaceAll(/(\w+)<[^<>]*>/g, (whole, name: string) => /Array|Readonly|Record/.test(name) ? whole : name)
    .replaceAll(/\bReadonlyArray<([^<>]+)>/g, "list of $1")
    .replaceAll(/(\w+)<.*>/g, "$1")
    .replaceAll(/\btypeof (\w+)(?:\[number\])?/g, (_, name: string) => words[name] ?? "string")
    .replaceAll(/\b(?:Record|Readonly|\w*(?:Options|Settings|Limits|Declaration|Sampling)|DisplayNames)\b/g, "object")
    .replaceAll(/\b[A-Z]\w*\b/g, (name) => words[name] ?? generics[name] ?? name)
    .replace(/^(\w+) & \w+$/, "$1")
    .replace(/^object\["\w+"\]$/, "string")
  return plain.includes("{") ? "object" : plain
}

/** An option, and those that it has itself, unless the page has them already. */
const rows = (options: ReadonlyArray<Member>, shown: Map<string, string>, owner: string): ReadonlyArray<string> =>
  options.flatMap(({ inner, isRequired, name, text, type }) => {
    const path = owner === "" ? name : `${owner}.${name}`
    const key = inner.map(({ place }) => place).join()
    const earlier = inner.length === 0 ? undefined : shown.get(key)
    if (inner.length > 0 && earlier === undefined) shown.set(key, path)
    const like = earlier === undefined || earlier === path ? "" : ` Its options are those of \`${earlier}\`.`
    const title = `\`${path}\`${isRequired ? " (required)" : ""}`
    return [
      `| ${title} | ${cell(`\`${typeOf(type)}\``)} | ${cell(text)}${like} |`,
      ...(earlier === undefined ? rows(inner, shown, path) : [])
    ]
  })

const listed = (names: ReadonlyArray<string>): string => {
  const all = names.map((name) => `\`${name}\``)
  return all.length < 2 ? all.join() : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`
}

/** The page by its text. */
export const page = (): string => {
  const shown = new Map<string, string>()
  const known = new Map<string, ReadonlyArray<Member>>()
  return [
    "# Options",
    "The options of the functions that make components, tools and services, with the texts that editors show. " +
    "`npm run openapi` writes this page from the types in the source.",
    ...entries().flatMap(({ entries, title }) => [
      `## ${title}`,
      ...entries.flatMap(({ about, beside, options, title }) => {
        known.set(title, options)
        const base = beside === undefined ? [] : known.get(beside) ?? []
        const shared = base.filter(({ place }) => options.some((option) => option.place === place))
        const left = base.filter((option) => !shared.includes(option)).map(({ name }) => name)
        const own = options.filter((option) => !shared.some(({ place }) => place === option.place))
        const also = shared.length <= 2
          ? ""
          : shared.length > left.length
          ? ` It also takes the options of [${beside}](#${anchor(beside ?? "")})${
            left.length === 0 ? "" : `, except ${listed(left)}`
          }.`
          : ` It also takes ${listed(shared.map(({ name }) => name))} of [${beside}](#${anchor(beside ?? "")}).`
        return [
          `### ${title}`,
          `${about}${also}`,
          [
            "| option | type | meaning |",
            "| --- | --- | --- |",
            ...rows(also === "" ? options : own, shown, "")
          ].join("\n")
        ]
      })
    ])
  ].join("\n\n") + "\n"
}
