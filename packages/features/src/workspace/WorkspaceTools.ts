// The tools with which a model reads and changes the files of its session, and executes commands on them.
import { given } from "@svc-runtime/agents/agent/execute/RunPart"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Context, Effect, Schema } from "effect"
import { CurrentSkills } from "../skills/agentPart.ts"
import * as LiveOutput from "./LiveOutput.ts"
import { FilesUnusable, type SessionFiles } from "./SessionFiles.ts"
import type { Settings } from "./WorkspaceSettings.ts"

export class CurrentFiles extends Context.Service<CurrentFiles, SessionFiles>()(
  "@svc-runtime/features/workspace/WorkspaceTools/CurrentFiles"
) {}

const unusable = (message: string) => new FilesUnusable({ message })

const files = Effect.flatMap(
  given(CurrentFiles),
  (current) => current === undefined ? Effect.fail(unusable("This run has no workspace")) : Effect.succeed(current)
)

/** Failures that a model can mend are results of the tool, and are not logged. */
const expected = <A, E extends { readonly _tag: string; readonly message: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.mapError(
    work,
    (error) =>
      error._tag === "FilesUnusable" || error._tag === "WorkspaceFull"
        ? new Tool.ToolFailed({ message: error.message })
        : error
  )

const path = Schema.String.annotate({ description: "The path from the workspace, such as notes/today.txt" })

/** One argument of a program has at most 131,072. */
const maxCommandBytes = 100_000

/** Bytes of a file that are read at once. */
const pageBytes = 100_000

const decoder = new TextDecoder("utf-8", { fatal: true })

const textOf = (name: string, content: Uint8Array) =>
  Effect.try({
    try: () => decoder.decode(content),
    catch: () => unusable(`'${name}' is no text in UTF-8. Use a command to look into it, if there is one`)
  })

const ofFiles: ReadonlyArray<Tool.Tool> = [
  Tool.make({
    name: "list_files",
    description: "Lists the files of the workspace with their sizes in bytes.",
    effects: "read",
    execute: () =>
      expected(Effect.gen(function*() {
        const { files: all } = yield* Effect.flatMap(files, ({ state }) => state)
        if (all.length === 0) return "The workspace has no files"
        return all.map(({ executable, path, size }) => `${path} (${size}${executable ? ", executable" : ""})`).join(
          "\n"
        )
      }))
  }),
  Tool.make({
    name: "read_file",
    description: "Reads a text file of the workspace.",
    parameters: Schema.Struct({
      path,
      offset: Schema.optionalKey(
        Schema.Natural.annotate({ description: "The byte to begin with, to read a long file in parts" })
      )
    }),
    effects: "read",
    execute: ({ offset = 0, path }) =>
      expected(Effect.gen(function*() {
        const { content } = yield* Effect.flatMap(files, ({ find }) => find(path))
        yield* textOf(path, content)
        let end = Math.min(content.length, offset + pageBytes)
        // not in the middle of a letter
        while (end < content.length && ((content[end] ?? 0) & 0xc0) === 0x80) end--
        const text = new TextDecoder().decode(content.subarray(offset, end))
        return end < content.length
          ? `${text}\n[The file has ${content.length} bytes. Continue with offset ${end}]`
          : text
      }))
  }),
  Tool.make({
    name: "write_file",
    description: "Writes a text file of the workspace. What it had before is replaced.",
    parameters: Schema.Struct({ path, content: Schema.String }),
    // the same content again changes nothing
    effects: "idempotent",
    execute: ({ content, path }) => expected(Effect.flatMap(files, ({ write }) => write(path, content)))
  }),
  Tool.make({
    name: "edit_file",
    description: "Replaces a text in a file of the workspace. The text must be in the file exactly once.",
    parameters: Schema.Struct({
      path,
      old_text: Schema.NonEmptyString.annotate({ description: "The text that is replaced, exactly as it is" }),
      new_text: Schema.String
    }),
    effects: "once",
    execute: ({ new_text, old_text, path }) =>
      expected(Effect.gen(function*() {
        const { find, write } = yield* files
        const parts = (yield* textOf(path, (yield* find(path)).content)).split(old_text)
        if (parts.length === 2) return yield* write(path, parts.join(new_text))
        return yield* unusable(
          parts.length === 1
            ? `'${path}' does not have this text. Read the file, and give the text exactly as it is`
            : `'${path}' has this text ${parts.length - 1} times. Give more of what is around it`
        )
      }))
  })
]

/** The skills whose files a command names, with their files. */
const skillsOf = Effect.fnUntraced(function*(command: string) {
  const skills = command.includes("/skills/") ? yield* given(CurrentSkills) : undefined
  if (skills === undefined) return []
  const mentioned = new Set(Array.from(command.matchAll(/\/skills\/([\w-]+)/g), ([, name]) => name))
  const named = skills.names.filter((name) => mentioned.has(name))
  const found = yield* Effect.forEach(named, (name) => Effect.map(skills.find(name), (skill) => ({ name, skill })))
  const encoder = new TextEncoder()
  return found.flatMap(({ name, skill }) =>
    skill._tag === "None" ? [] : skill.value.files.map(({ content, path }) => ({
      path: `${name}/${path}`,
      content: encoder.encode(content)
    }))
  )
})

const about = (hasSkills: boolean): string =>
  "Executes a line of the shell in the workspace, without a network. Only files of the workspace are kept, and what " +
  `it starts ends with it.${hasSkills ? " Files of skills are at /skills/NAME/PATH, read only." : ""}`

const runCommand = ({ commandTimeout, requiresConfirmation }: Settings, hasSkills: boolean): Tool.Tool =>
  Tool.make({
    name: "run_command",
    description: about(hasSkills),
    parameters: Schema.Struct({
      command: Schema.NonEmptyString.check(Schema.isMaxLength(100_000)),
      timeout: Schema.optionalKey(
        Schema.Finite.check(Schema.isGreaterThan(0)).annotate({
          description: `Seconds, at most ${Math.ceil(commandTimeout / 1000)}, which is what it has when left out`
        })
      )
    }),
    effects: "once",
    requiresConfirmation,
    // the command itself ends before it, and other commands of the session come first
    timeout: commandTimeout * 4 + 60_000,
    execute: ({ command, timeout }, { emit }) =>
      expected(Effect.gen(function*() {
        const { run } = yield* files
        if (command.includes("\0") || Buffer.byteLength(command) > maxCommandBytes) {
          return yield* unusable(
            `A command has at most ${maxCommandBytes} bytes, and no NUL. Write a script with write_file, and execute that`
          )
        }
        const skills = yield* skillsOf(command)
        const live = LiveOutput.make(emit)
        const ran = run({
          command,
          skills,
          timeoutMillis: timeout === undefined ? undefined : Math.ceil(timeout * 1000),
          onOutput: live.add
        })
        return yield* Effect.ensuring(ran, Effect.sync(live.end))
      }))
  })

export const make = (settings: Settings, hasSkills: boolean): ReadonlyArray<Tool.Tool> =>
  settings.sandbox === undefined ? ofFiles : [runCommand(settings, hasSkills), ...ofFiles]
