// `svc create`: creates a project from a template.
import { Effect, type FileSystem, Option, Path } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailed, UsageError } from "../CliError.ts"
import { present } from "../CommandResult.ts"
import { Environment } from "../Environment.ts"
import * as Flags from "../Flags.ts"
import * as PackedPackages from "../project/PackedPackages.ts"
import * as Project from "../project/Project.ts"
import * as Templates from "../project/Templates.ts"
import { Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { Prompts } from "../terminal/Prompts.ts"

const standardName = "agentos"

/** npm and git leave out a directory of this name. */
const isReserved = (name: string): boolean => name.toLowerCase() === "node_modules"

const isName = (name: string): boolean => /^[A-Za-z0-9_-]+$/.test(name) && !isReserved(name)
const badName = (name: string): string =>
  `Invalid project name: ${name}. ${
    isReserved(name) ? "npm and git ignore a directory of this name" : "Expected letters, digits, - and _"
  }`

const flags = {
  name: Argument.String("name").pipe(
    Argument.withDescription(`Directory to make here: letters, digits, - and _ (asked for, default: ${standardName})`),
    Argument.filterMap((name) => isName(name) ? Option.some(name) : Option.none(), badName),
    Argument.optional,
    Argument.map(Option.getOrUndefined)
  ),
  template: Flags.text("template", "NAME", `Template to start from (default: ${Templates.standard})`, "t"),
  url: Flags.text("url", "REPOSITORY", "A template repository of your own, instead of --template", "u").pipe(
    Flags.unlessEmpty
  ),
  packages: Flags.text(
    "packages",
    "DIR",
    "A folder of packed packages, which travel with the project (default: npm gets them from the registry)"
  ).pipe(Flags.unlessEmpty),
  json: Flags.json
}

interface Given {
  readonly name: string | undefined
  readonly template: string | undefined
  readonly url: string | undefined
  readonly packages: string | undefined
}

const checkTemplate = Effect.fnUntraced(function*({ template, url }: Given) {
  if (url !== undefined || template === undefined || Templates.isTemplate(template)) return
  return yield* new UsageError({
    message: `Unknown template: ${template}\nExpected one of ${
      Templates.names.join(", ")
    }, or any repository with --url.`
  })
})

/** A project of a template of the tool has the packages of `--packages`. A cloned one names its packages itself. */
const withPackages = Effect.fnUntraced(function*(source: Project.Source, packages: string | undefined) {
  if (packages === undefined) return source
  if (source._tag === "Repository") {
    return yield* new UsageError({ message: "--packages is for the templates of the tool, not for repositories" })
  }
  const path = yield* Path.Path
  return { ...source, tarballs: yield* PackedPackages.find(path.resolve((yield* Environment).cwd, packages)) }
})

const directoryOf = (name: string) =>
  Effect.gen(function*() {
    const path = yield* Path.Path
    return path.join((yield* Environment).cwd, name)
  })

/** Prompts for missing values. With a name there are no prompts. */
const completed = Effect.fnUntraced(function*(given: Given) {
  const prompts = yield* Prompts
  const output = yield* Output
  if (given.name !== undefined) return { name: given.name, template: given.template ?? Templates.standard }
  if (!(yield* prompts.isInteractive)) {
    return yield* new CommandFailed({
      message: "project name is required: prompts need a terminal",
      hint: "Name it: svc create <name>"
    })
  }
  yield* output.heading("Start a project")
  const template = given.template ?? (given.url === undefined
    ? yield* prompts.select("Template", Templates.names.map((name) => ({ title: name, value: name as string })))
    : Templates.standard)
  const context = yield* Effect.context<Path.Path | Environment | FileSystem.FileSystem>()
  const name = yield* prompts.text("Project name", {
    initial: standardName,
    validate: (name) =>
      Effect.gen(function*() {
        if (!isName(name)) return yield* Effect.fail(badName(name))
        const directory = yield* directoryOf(name)
        return (yield* Project.isTaken(directory)) ? yield* Effect.fail(`${directory} already exists`) : name
      }).pipe(Effect.provideContext(context))
  })
  return { name, template }
})

const next = (name: string, source: Project.Source, hasEnv: boolean): ReadonlyArray<string> => {
  if (!hasEnv) return ["  No example.env found: follow the template's own instructions", `  cd ${name}`]
  if (source._tag === "Repository") return [`  Put your secrets into ${name}/.env`, `  cd ${name}`, "  svc up"]
  return [
    `  cd ${name}`,
    "  npm install",
    "  npm run dev",
    ...(source.tarballs === undefined
      ? ["\nUntil the packages are published, npm finds them only in a project that was made with --packages DIR."]
      : []),
    `\nA demo model answers without a key. ${name}/.env is for a model and its key.`
  ]
}

export const create = Command.make("create", flags, ({ json, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      yield* checkTemplate(given)
      const { name, template } = yield* completed(given)
      const directory = yield* directoryOf(name)
      const source = yield* withPackages(
        given.url === undefined
          ? yield* Templates.sourceOf(template)
          : { _tag: "Repository", address: given.url },
        given.packages
      )
      const { hasEnv } = yield* Project.make(source, directory)
      return {
        document: { path: directory, template: given.url ?? template },
        human: Effect.gen(function*() {
          yield* output.success(`Created ${name}${given.url === undefined ? "" : ` from ${given.url}`}`)
          yield* output.line("\nNext:")
          yield* Effect.forEach(next(name, source, hasEnv), (line) => output.line(line), { discard: true })
        })
      }
    })
  )).pipe(
    Command.withDescription(
      "Start a project in TypeScript from a template of the tool, or clone one with --url, and put the example settings " +
        `into .env, which only you can read. Templates: ${Templates.names.join(", ")}.`
    ),
    Command.annotate(Variables, [[
      Templates.variable,
      "an address or a folder of repositories to clone the templates from"
    ]]),
    Command.withShortDescription("Start a project from a template"),
    Command.withExamples([
      { command: "svc create", description: "Be asked" },
      { command: `svc create ${standardName} --template agentos-fly` },
      { command: `svc create ${standardName} --url https://example.com/our/template.git` }
    ])
  )
