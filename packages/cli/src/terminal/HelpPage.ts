// The `--help` page, fitted to the terminal, with the facts for scripts at its end.
import { Context, Option } from "effect"
import type { HelpDoc } from "effect/cli"
import { shortNames } from "../Argv.ts"
import { codes, type Outcome } from "../Exit.ts"
import type { Style } from "./Style.ts"

/** The environment variables of a command. */
export class Variables extends Context.Service<Variables, ReadonlyArray<readonly [name: string, meaning: string]>>()(
  "@svc-runtime/cli/terminal/HelpPage/Variables"
) {}

export const address = ["PLATFORM_URL", "address of the service, where --url is not given"] as const

export const credentials = [
  ["PLATFORM_ADMIN_TOKEN", "administrative credential of the service"],
  ["OS_SECURITY_KEY", "the same, where PLATFORM_ADMIN_TOKEN is not set"]
] as const

/** The meaning of each exit code. */
export const meanings: { readonly [E in Outcome]: string } = {
  ok: "done",
  failed: "it could not be done; with --json the document says why",
  misused: "the command line is wrong; nothing was done",
  partial: "done for some clients only (connect, disconnect), or the run waits for a decision (run, runs)",
  "hung-up": "ended because the terminal was closed (SIGHUP)",
  interrupted: "interrupted by Ctrl-C",
  terminated: "ended by SIGTERM"
}

const indent = "  "
const widestLeft = 30

/** Lines of at most `width`, broken between words. */
const wrapped = (text: string, width: number): ReadonlyArray<string> =>
  text.split("\n").flatMap((paragraph) => {
    const lines: Array<string> = []
    let line = ""
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width) {
        lines.push(line)
        line = word
      } else line = line === "" ? word : `${line} ${word}`
    }
    return [...lines, line]
  })

interface Page {
  readonly width: number
  readonly style: Style
}

type Row = readonly [left: string, right: string]

/** Two columns; a left side that is too long has its own line. */
const rows = (list: ReadonlyArray<Row>, { style, width }: Page): string => {
  const column = Math.min(widestLeft, Math.max(...list.map(([left]) => left.length))) + 2
  return list.map(([left, right]) => {
    const [first = "", ...rest] = wrapped(right, Math.max(20, width - indent.length - column))
    const start = `${indent}${style.cyan(left)}`
    const below = `\n${indent}${" ".repeat(column)}`
    const gap = left.length > column - 2 ? below : " ".repeat(column - left.length)
    return [`${start}${gap}${first}`, ...rest].join(below).trimEnd()
  }).join("\n")
}

const flagRow = ({ aliases, description, name, type }: HelpDoc.FlagDoc): Row => {
  const short = [...aliases, ...shortNames.filter(([, long]) => long === name).map(([short]) => short)]
  const value = type === "boolean" ? "" : ` ${type}`
  return [
    `${[...short, `--${name}`].join(", ")}${value}`,
    Option.getOrElse(description, () => "")
  ]
}

const exampleLines = ({ command, description }: HelpDoc.ExampleDoc, { style }: Page): string =>
  `${description === undefined ? "" : `${indent}${style.dim(`# ${description}`)}\n`}${indent}${command}`

export const helpPage = (doc: HelpDoc.HelpDoc, page: Page): string => {
  const { style: { bold }, width } = page
  const section = (title: string, body: string) => body === "" ? [] : [`${bold(title)}\n${body}`]
  const table = (title: string, list: ReadonlyArray<Row>) => section(title, list.length === 0 ? "" : rows(list, page))
  const paragraph = (text: string) => wrapped(text, width - indent.length).map((line) => `${indent}${line}`).join("\n")
  const isRoot = doc.commandPath?.length === 1
  return [
    wrapped(doc.description, width).join("\n"),
    ...section("Usage", paragraph(doc.usage)),
    ...table("Arguments", (doc.args ?? []).map((arg): Row => [arg.name, Option.getOrElse(arg.description, () => "")])),
    ...(doc.subcommands ?? []).flatMap(({ commands, group }) =>
      table(group ?? "Commands", commands.map((sub): Row => [sub.name, sub.shortDescription ?? sub.description]))
    ),
    ...table("Options", [
      ...doc.flags.map(flagRow),
      ...(doc.globalFlags ?? []).map(flagRow),
      ...(isRoot ? [["--version", "Print the version of the tool"] as const] : [])
    ]),
    ...table("Environment", Context.getOrElse(doc.annotations, Variables, () => [])),
    ...section("Examples", (doc.examples ?? []).map((example) => exampleLines(example, page)).join("\n\n")),
    ...(isRoot
      ? table(
        "Exit codes",
        Object.entries(codes).map(([ending, code]): Row => [String(code), meanings[ending as Outcome]])
      )
      : [])
  ].join("\n\n")
}
